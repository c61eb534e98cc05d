import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BatchGetProjectsCommand, UpdateProjectCommand } from '@aws-sdk/client-codebuild';
import * as v from 'valibot';
import type { LambdaPlatformParts } from '../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { shellQuote } from '../../../../lib/process/command.ts';
import { bodyOf } from '../../body-of.ts';
import { newFolder } from '../../new-folder.ts';
import { zipOf } from '../zip-of.ts';

const BUILD = fileURLToPath(new URL('quick-build.mjs', import.meta.url));

/** Has builds store what was uploaded, in a tenth of the time of a real one. Returns the project as it is then. */
export async function buildQuickly({ codeBuild, project }: Pick<LambdaPlatformParts, 'codeBuild' | 'project'>) {
  const { projects: [found] = [] } = await codeBuild.send(new BatchGetProjectsCommand({ names: [project] }));
  const commands = [`${shellQuote(process.execPath)} ${shellQuote(BUILD)}`];
  const { source, artifacts, environment, serviceRole, logsConfig } = found ?? {};
  const quick = {
    ...{ name: project, artifacts, environment, serviceRole, logsConfig },
    source: {
      type: 'S3' as const,
      ...source,
      buildspec: JSON.stringify({ version: '0.2', phases: { build: { commands } } }),
    },
  };
  await codeBuild.send(new UpdateProjectCommand(quick));
  return quick;
}

/** What a server of `quickApp` answers. */
const Served = v.object({
  version: v.string(),
  /** Of its function. */
  number: v.string(),
  greeting: v.optional(v.string()),
});

/** Requests the page of a quick application. */
export async function servedAt(url: string) {
  return bodyOf(await fetch(url), Served.entries);
}

/** An application for quick builds. */
export interface QuickApp {
  readonly tarball: Buffer;
  /** While there is this file, its processes end at each request. */
  readonly broken: string;
}

/** Makes a version of an application that `runs`, `answers 500`, `does not start` or is built as `quick-build.mjs` says. */
export async function quickApp(version: string, behaviour: string): Promise<QuickApp> {
  const broken = join(newFolder('quick-app'), 'broken');
  const start = behaviour === 'does not start' ? "console.log('no database here'); process.exit(1);" : '';
  const server = `${start}
    require('node:http').createServer((_, response) => {
      if (require('node:fs').existsSync(${JSON.stringify(broken)})) process.exit(3);
      const { GREETING: greeting, AWS_LAMBDA_FUNCTION_VERSION: number } = process.env;
      response.writeHead(${behaviour === 'answers 500' ? 500 : 200});
      response.end(JSON.stringify({ version: ${JSON.stringify(version)}, number, greeting }));
    }).listen(process.env.PORT, process.env.HOST);`;
  const files = { 'run.sh': '#!/bin/sh\ncd app && exec node server.js\n', 'app/server.js': server, [behaviour]: '' };
  return { tarball: await zipOf(files), broken };
}

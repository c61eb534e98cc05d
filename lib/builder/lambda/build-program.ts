// What CodeBuild runs: it builds one application as the embedded platform does, from and to addresses of S3. The variable
// JOB_URL is the address of a JSON document, which `storeJob` of the adapter of the platform writes: the addresses of the
// tarball, of the release and its cron to store and of the downloaded packages, the folder of the application in the tarball, the
// settings of its deploy, whether earlier packages are left out, and the variables, sealed.

import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { KMSClient } from '@aws-sdk/client-kms';
import * as v from 'valibot';
import { variableSeal } from '../../../functions/adapters/platform/aws-lambda/run/sealed-variables.ts';
import type { Settings } from '../../../functions/core/apps/settings.ts';
import { isObject } from '../../../functions/core/json.ts';
import { BUILD_BEGINS, BUILD_ENDS, BUILD_FAILED, BUILD_FOUND } from '../../../functions/core/output/build-reason.ts';
import { withoutValues } from '../../../functions/core/output/without-values.ts';
import { TARBALL_LIMITS } from '../../../functions/core/tarball/limits.ts';
import { killGroup } from '../../process/process-group.ts';
import { buildApplication } from '../build-application.ts';
import type { BuildSite } from '../build-step.ts';
import { readBuildLines } from '../process/lines.ts';
import type { CommandContext } from '../process/run-command.ts';
import { cronIn } from '../start/cron.ts';
import { tools } from '../tools/tools.ts';
import { unpack } from '../unpack.ts';
import { addStartProgram, archive, checkSize } from './lambda-release.ts';
import { download, fetchPackages, keepPackages, upload } from './transfer.ts';

const Job = v.object({
  source: v.string(),
  release: v.string(),
  cron: v.string(),
  cacheGet: v.string(),
  cachePut: v.string(),
  path: v.string(),
  settings: v.optional(v.custom<Settings>(isObject), {}),
  clean: v.optional(v.boolean(), false),
  commit: v.optional(v.string()),
  app: v.object({ user: v.string(), app: v.string() }),
  /** Absent for an application without any. */
  variables: v.optional(v.string()),
  sealingKey: v.string(),
});

type Job = v.InferOutput<typeof Job>;

/** CodeBuild ends a build on Lambda compute after this time. */
const LIMIT_MS = 15 * 60_000;

/** Ends what a build has started when CodeBuild stops the build. */
const groups = new Set<number>();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const pgid of groups) killGroup(pgid);
    process.exit(1);
  });
}

/** Those of the application, once they are known. */
let variables: Readonly<Record<string, string>> = {};

// Lambda runs the application as another user.
process.umask(0o022);
await main();

/** Prints the output, and as its last lines why the build failed; the program ends with 1 then. */
async function main(): Promise<void> {
  // On a machine of CodeBuild, that is: elsewhere this is the folder of others too.
  const source = process.env.CODEBUILD_BUILD_ID === undefined ? undefined : process.cwd();
  const cleared = clearMachine(tmpdir(), source);
  await cleared.catch(() => undefined);
  const work = await realpath(await mkdtemp(join(tmpdir(), 'build-')));
  const app = join(work, 'release/app');
  // Places are shown as the application's author knows them, values of variables not at all.
  const print = (line: string) => {
    const [shown = ''] = withoutValues([line], variables);
    console.log(shown.replaceAll(`${app}/`, '').replaceAll(app, '.'));
  };
  print(BUILD_BEGINS);
  try {
    await cleared;
    await build(work, print);
  } catch (error) {
    process.exitCode = 1;
    print(`${BUILD_FAILED}${error instanceof Error ? error.message : error}`);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
    print(BUILD_ENDS);
  }
}

async function build(work: string, print: (line: string) => void): Promise<void> {
  const job = await readJob(join(work, 'job.json'));
  variables = await openVariables(job);
  const [release, packages] = [join(work, 'release'), join(work, 'packages')];
  const [root, archived] = [join(release, 'app'), join(work, 'release.zip')];
  await fetchSource(job.source, join(work, 'source.tgz'), root);
  await checkSize(root, 'The repository', print);
  if (!job.clean) await fetchPackages(job.cacheGet, packages);
  const built = await buildApplication(await siteOf({ work, root, packages, ...job, print }));
  const { project, found, procfile } = built;
  console.log(`${BUILD_FOUND}${JSON.stringify(found)}`);
  if (procfile.release !== undefined) await built.run('The release command of the Procfile', procfile.release, {});
  await checkSize(root, 'The application', print);
  await addStartProgram(release, job);
  await archive(release, archived);
  const cron = join(work, 'cron.json');
  await writeFile(cron, JSON.stringify(await cronIn(project.folder)));
  await Promise.all([upload(archived, job.release), upload(cron, job.cron)]).catch(
    because('The release could not be stored'),
  );
  // Not worth a failed build.
  await keepPackages(packages, project, job.cachePut).catch(() => undefined);
}

async function readJob(file: string): Promise<Job> {
  const sentence = "The service's description of the build could not be read";
  await download(process.env.JOB_URL ?? '', file).catch(because(sentence));
  return v.parse(Job, JSON.parse(await readFile(file, 'utf8')));
}

/** The build's role may open them, and the job has those of its own application alone. */
async function openVariables({ app, variables: sealed, sealingKey }: Job) {
  const kms = new KMSClient();
  return variableSeal({ kms, sealingKey })
    .open(app, sealed)
    .catch(because("The application's variables could not be opened"))
    .finally(() => kms.destroy());
}

async function fetchSource(address: string, file: string, target: string): Promise<void> {
  await download(address, file).catch(because('The tarball could not be fetched'));
  await mkdir(target, { recursive: true });
  await unpack(file, target, TARBALL_LIMITS);
  await rm(file);
}

interface Place {
  readonly work: string;
  readonly root: string;
  readonly packages: string;
  readonly path: string;
  readonly settings: Settings;
  readonly clean: boolean;
  readonly commit?: string | undefined;
  readonly print: (line: string) => void;
}

/** Programs of the application and of its packages get no address of the job: the environment is an allow-list. */
async function siteOf({ work, root, packages, path, settings, clean, commit, print }: Place): Promise<BuildSite> {
  const [home, temporary] = [join(work, 'home'), join(work, 'tmp')];
  for (const folder of [home, temporary, packages]) await mkdir(folder, { recursive: true });
  const commands: CommandContext = {
    groups: {
      add: ({ pgid }) => void groups.add(pgid),
      remove: (pgid) => void groups.delete(pgid),
      close: async () => undefined,
    },
    what: 'build',
    timeoutMs: LIMIT_MS,
    log: {
      note: print,
      capture: (stream, _name, seen) =>
        readBuildLines(stream, (line) => {
          print(line);
          seen(line);
        }),
    },
    signal: new AbortController().signal,
  };
  return {
    root,
    path,
    settings,
    commit,
    own: { ...process.env, HOME: home },
    variables: { TMPDIR: temporary, ...variables },
    commands,
    caches: packages,
    frameworkCaches: join(work, 'framework-caches'),
    isClean: clean,
    tools: tools(join(packages, 'tools')),
    // Lambda has one Node, that of this image.
    choosesNode: false,
    runsWebOnly: true,
    provide: ({ install }) => install().then(() => 'installed'),
  };
}

function because(sentence: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`${sentence}: ${cause instanceof Error ? cause.message : cause}.`, { cause });
  };
}

/**
 * Removes what earlier builds have left in the temporary folder of CodeBuild's machine: everything but the folder in it
 * that CodeBuild itself works in, which `source` is a part of. Nowhere else is anything removed. Throws an Error with one
 * sentence when something cannot be removed: no build begins beside files of another.
 */
async function clearMachine(temporary: string, source: string | undefined): Promise<void> {
  const [kept = ''] = relative(temporary, source ?? '').split(sep);
  // On Lambda compute only /tmp can be written to: /tmp/codebuild/output/src123/src.
  if (source === undefined || kept === '' || kept === '..') return;
  for (const name of await readdir(temporary)) {
    if (name !== kept) await rm(join(temporary, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const left = (await readdir(temporary)).filter((name) => name !== kept);
  if (left.length > 0) throw new Error('The machine of CodeBuild has files of another build. Deploy again.');
}

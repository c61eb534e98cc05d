import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiServer, apiServer, type Reply } from './api-server.ts';
import { type CliOptions, type CliRun, cli } from './cli.ts';
import { newFolder } from './new-folder.ts';

/** A run of the command line against a service that answers with replies. */
export interface ServiceRun extends CliRun {
  /** `GET /1/apps/kiwi?values=true`, in order. */
  readonly calls: readonly string[];
  readonly bodies: readonly string[];
  readonly url: string;
}

/** Runs the command line as the user kiwi of a service that gives these answers in order. */
export async function cliAt(
  args: string | readonly string[],
  replies: readonly Reply[],
  options: CliOptions = {},
): Promise<ServiceRun> {
  const server: ApiServer = await apiServer(...replies);
  const env = { HOOKS_URL: server.url, HOOKS_USER: 'kiwi', HOOKS_SECRET: 'secret-canary', ...options.env };
  const run = await cli(args, { ...options, env });
  return {
    ...run,
    url: server.url,
    calls: server.received.map(({ method, url }) => `${method} ${url}`),
    bodies: server.received.map(({ body }) => body),
  };
}

/** Returns a folder whose package.json names an application. */
export function folderOf(name: string): string {
  const folder = newFolder('app');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name }));
  return folder;
}

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

export function accepted(body: unknown): Reply {
  return { status: 202, body };
}

/** A problem document of the service. */
export function problem(status: number, code: string, detail: string): Reply {
  return { status, body: { code, detail, title: 'A title.' } };
}

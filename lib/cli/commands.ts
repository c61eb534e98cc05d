import { readFileSync } from 'node:fs';
import { apps } from './apps/apps.ts';
import { domains } from './apps/domains.ts';
import { env } from './apps/env.ts';
import { open } from './apps/open.ts';
import { previews } from './apps/previews.ts';
import { ps, scale } from './apps/ps.ts';
import { run } from './apps/run.ts';
import { set, unset } from './apps/settings.ts';
import { transfer } from './apps/transfer.ts';
import { aws } from './aws/aws.ts';
import type { CommandContext } from './command.ts';
import { create } from './deploy/create.ts';
import { deploy } from './deploy/deploy.ts';
import { cancel, redeploy, release, remove, rename, restart, rollback, stop } from './deploy/operations.ts';
import { reconcile } from './deploy/reconcile.ts';
import { hook } from './hook/hook.ts';
import { buildLog } from './log/build-log.ts';
import { logs } from './log/logs.ts';
import { status } from './log/status.ts';
import { watch } from './log/watch.ts';
import { type CommandGroup, runProgram } from './program/program.ts';
import { backup, restore } from './server/backup.ts';
import { server } from './server/server.ts';
import { start } from './server/start.ts';
import { config } from './setup/config.ts';
import { login, logout } from './setup/login.ts';
import { pair } from './setup/pair.ts';
import { tokens } from './setup/tokens.ts';
import { users } from './setup/users.ts';

/** All commands, in the order of the help. Help and the README's table are made from this. */
export const groups: readonly CommandGroup[] = [
  { title: 'Look', commands: [status, watch, buildLog, logs, apps, previews, open] },
  { title: 'Deploy', commands: [create, deploy, redeploy, rollback, release, cancel, reconcile] },
  { title: 'Operate', commands: [set, unset, env, domains, ps, scale, run, restart, stop, transfer, rename, remove] },
  {
    title: 'Set up',
    commands: [start, login, logout, tokens, pair, hook, users, config, server, backup, restore, aws],
  },
];

/** Runs the command line `hooks` and returns its exit code. Nothing is thrown. */
export function hooks(argv: readonly string[], context: CommandContext): Promise<number> {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return runProgram(argv, context, { groups, version });
}

import { apps } from './apps/apps.ts';
import { env } from './apps/env.ts';
import { open } from './apps/open.ts';
import { remove } from './apps/remove.ts';
import { restart } from './apps/restart.ts';
import { stop } from './apps/stop.ts';
import { aws } from './aws/aws.ts';
import { cancel } from './deploy/cancel.ts';
import { create } from './deploy/create.ts';
import { deploy } from './deploy/deploy.ts';
import { reconcile } from './deploy/reconcile.ts';
import { redeploy } from './deploy/redeploy.ts';
import { release } from './deploy/release.ts';
import { rollback } from './deploy/rollback.ts';
import { hook } from './hook/hook.ts';
import { buildLog } from './log/build-log.ts';
import { logs } from './log/logs.ts';
import { status } from './log/status.ts';
import { watch } from './log/watch.ts';
import type { CommandGroup } from './program/program.ts';
import { server } from './server/server.ts';
import { completionCommand } from './setup/completion.ts';
import { config } from './setup/config.ts';
import { login, logout } from './setup/login.ts';
import { pair } from './setup/pair.ts';
import { tokens } from './setup/tokens.ts';
import { users } from './setup/users.ts';

/** All commands, in the order of the help. Help, completion and the README's table are made from this. */
export const groups: readonly CommandGroup[] = [
  { title: 'Look', commands: [status, watch, buildLog, logs, apps, open] },
  { title: 'Deploy', commands: [create, deploy, redeploy, rollback, release, cancel, reconcile] },
  { title: 'Operate', commands: [env, restart, stop, remove] },
  {
    title: 'Set up',
    commands: [login, logout, tokens, pair, hook, users, config, server, aws, completionCommand(() => groups)],
  },
];

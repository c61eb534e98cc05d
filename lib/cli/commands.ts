import { hook } from './hook/hook.ts';
import { status } from './log/status.ts';
import { watch } from './log/watch.ts';
import type { CommandGroup } from './program/program.ts';
import { completionCommand } from './setup/completion.ts';
import { login } from './setup/login.ts';
import { logout } from './setup/logout.ts';

/** All commands, in the order of the help. Help, completion and the README's table are made from this. */
export const groups: readonly CommandGroup[] = [
  { title: 'Look', commands: [status, watch] },
  { title: 'Set up', commands: [login, logout, hook, completionCommand(() => groups)] },
];

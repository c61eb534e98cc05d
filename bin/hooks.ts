import { type Command, UsageError } from '../lib/cli/command.ts';
import { hook } from '../lib/cli/hook/hook.ts';
import { watch } from '../lib/cli/watch/watch.ts';

/** The commands by name, each with a description. */
const commands: ReadonlyMap<string, { readonly run: Command; readonly description: string }> = new Map([
  [
    'hook',
    { run: hook, description: 'the webhook of a repository: what to paste where, or --create, --show, --remove' },
  ],
  ['watch', { run: watch, description: 'the changes of your deploys as they happen, or with --json as JSON lines' }],
]);

const [name = '', ...args] = process.argv.slice(2);
const command = commands.get(name);

try {
  if (!command) throw new UsageError(usage());
  process.exitCode = await command.run(args, {
    env: process.env,
    print: (line) => console.log(line),
    warn: (line) => console.error(line),
    terminal: process.stdout.isTTY === true,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

function usage(): string {
  const lines = [...commands].map(([known, { description }]) => `  ${known.padEnd(8)} ${description}`);
  return ['Usage: npm run hooks -- <command> …', '', ...lines].join('\n');
}

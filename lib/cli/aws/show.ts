import { type Call, EXIT } from '../command.ts';
import { Failure } from '../errors.ts';
import { columns } from '../text.ts';
import { openAccount } from './account.ts';
import { findStack, stackNamed } from './stack.ts';

/** Prints the deployed stack: its state, outputs and parameters. Returns the exit code. */
export async function show(call: Call): Promise<number> {
  const { args, print } = call;
  const name = stackNamed(call);
  const account = await openAccount(call);
  const stack = await findStack(account, name);
  if (!stack) {
    throw new Failure(`There is no stack ${name} in account ${account.id}, ${account.region}: "npm run deploy".`);
  }
  const { status, outputs, parameters } = stack;
  if (args.flag('json')) {
    print(JSON.stringify({ account: account.id, region: account.region, status, outputs, parameters }));
    return EXIT.ok;
  }
  print(`${name} in account ${account.id}, ${account.region}: ${status}`);
  for (const [title, values] of [
    ['Outputs', outputs],
    ['Parameters', parameters],
  ] as const) {
    print(`\n${title}:`);
    for (const line of columns(Object.entries(values).map(([name, value]) => [`  ${name}`, value]))) print(line);
  }
  return EXIT.ok;
}

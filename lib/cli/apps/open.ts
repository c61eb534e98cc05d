import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { printableJson } from '../../terminal/printable.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition, JSON_OPTION, SERVICE_OPTIONS } from '../command.ts';
import { Failure } from '../errors.ts';
import { oneApplication } from '../service/application.ts';
import { findApp } from './app-name.ts';

export const open: CommandDefinition = {
  name: 'open',
  summary: 'Open an application in the browser, and print its address',
  details: 'Only prints the address when the output is not a terminal or there is no browser.',
  args: [APP_ARGUMENT],
  options: [JSON_OPTION, ...SERVICE_OPTIONS],
  examples: [
    ['hooks open', "the application of this folder's package.json"],
    ['curl "$(hooks open shop)"', 'its address for another program'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args, print, stdout, env } = call;
  const place = await findApp(call);
  const app = await oneApplication(place.client, place.app);
  if (app.url === null)
    throw new Failure(`${app.name} has no address yet: it was never live. "hooks status ${app.name}" says why.`);
  print(args.flag('json') ? printableJson({ name: app.name, url: app.url }) : app.url);
  // Open web addresses only: a service could send the path of a file or a program.
  if (stdout.isTTY && /^https?:\/\//.test(app.url)) await openBrowser(app.url, env);
  return 0;
}

async function openBrowser(url: string, env: Call['env']): Promise<void> {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };
  const opener = env.BROWSER || (openers[process.platform] ?? 'xdg-open');
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  // A machine without a browser is no failure: the address is printed.
  child.on('error', () => {});
  await Promise.race([once(child, 'spawn'), once(child, 'error')]).catch(() => {});
  child.unref();
}

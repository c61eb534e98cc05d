import { join, relative } from 'node:path';
import { shellQuote } from '../../process/command.ts';
import type { PublicAddresses } from '../config/public-addresses.ts';
import type { ShownApplication } from './applications.ts';

/** The addresses and logins of the running service. */
export interface Ready {
  /** Addresses of the API and of its WebSocket. */
  readonly url: string;
  readonly signalsUrl: string;
  /** Its address for other machines, if it has one. */
  readonly addresses: PublicAddresses | undefined;
  readonly user: string;
  readonly dataDir: string;
  /** The command line, called so that it finds this service. */
  readonly hooks: string;
  /** Name and bare repository of the sample application. */
  readonly sample: { readonly app: string; readonly repository: string };
  readonly applications: readonly ShownApplication[];
}

/** Returns the lines that say what runs, where everything is, and what to try next. None holds the password. */
export function readyLines(ready: Ready): string[] {
  const { url, addresses, signalsUrl, user, dataDir, hooks, sample, applications } = ready;
  const file = (name: string) => shellQuote(relative(process.cwd(), join(dataDir, name)) || name);
  return [
    '',
    ...runningLines(applications, sample.app),
    `The page                           ${addresses?.service ?? url}/   (user ${user}, password in ${file('password')})`,
    `Every application by its name      ${byName(addresses, url).replace('{user}', user)}`,
    `Webhook                            ${addresses?.service ?? url}/1/deploy`,
    `The log                            curl --netrc-file ${file('netrc')} ${url}/1/status/${user}/webhooks`,
    `Live changes                       curl -N --netrc-file ${file('netrc')} ${url}/1/status/${user}/changes`,
    `WebSocket notifications of them    ${addresses?.signals ?? signalsUrl}`,
    ...(addresses?.repositories
      ? [`Repositories from other machines   ${addresses.repositories}/${user}/<name>.git`]
      : []),
    '',
    'Deploy an application of your own, from its folder (once before, in this one: npm install --global .):',
    `  ${hooks} create my-app && git push hooks HEAD`,
    '',
    'Or change the page of the sample, push, and reload it:',
    `  git clone ${shellQuote(relative(process.cwd(), sample.repository))} ../hello && cd ../hello`,
    `  sed -i.bak 's/Hello from a push/Hello again/' server.js && rm server.js.bak`,
    `  git commit -am 'Another page' && git push`,
    '',
    'Ctrl-C ends everything; the next start resumes where this one stopped.',
    '',
  ];
}

/** An application of any user has its own address by its name, which its line above has in full on a server. */
function byName(addresses: PublicAddresses | undefined, url: string): string {
  const { protocol, domain, port } = addresses?.apps ?? {
    protocol: 'http:',
    domain: 'localhost',
    port: new URL(url).port,
  };
  return `${protocol}//<application>.{user}.${domain}${port && `:${port}`}`;
}

/** The sample has a separate line while it runs; the others are listed with their state. */
function runningLines(applications: readonly ShownApplication[], sample: string): string[] {
  const shown = applications.find(({ name, state }) => name === sample && state === 'running');
  const others = applications.filter((application) => application !== shown);
  const width = Math.max(...others.map(({ name }) => name.length), 0);
  return [
    ...(shown ? [`The sample application answers at  ${shown.url}`] : []),
    ...(others.length > 0 ? ['Applications'] : []),
    ...others.map(({ name, state, url }) =>
      `  ${name.padEnd(width)}  ${state.padEnd('running'.length)}  ${state === 'running' ? url : ''}`.trimEnd(),
    ),
  ];
}

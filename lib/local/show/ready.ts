import { join, relative } from 'node:path';
import type { Sample } from '../sample/deploy.ts';
import type { LocalService } from '../start.ts';

/** Returns the lines that say where everything is and what to try next. None holds the password. */
export function readyLines({ url, login, runtime }: LocalService, sample: Sample, dataDir: string): string[] {
  const file = (name: string) => relative(process.cwd(), join(dataDir, name)) || name;
  return [
    '',
    ...(sample.address ? [`The sample application answers at  ${sample.address}`] : []),
    `Every application by its name      http://<application>.${login.user}.localhost:${new URL(url).port}`,
    `Webhook                            ${url}/1/deploy   (user ${login.user}, password in ${file('password')})`,
    `The log                            curl --netrc-file ${file('netrc')} ${url}/1/status/${login.user}/webhooks`,
    `Live changes                       curl -N --netrc-file ${file('netrc')} ${url}/1/status/${login.user}/changes`,
    `WebSocket notifications of them    ${runtime.template.outputs.SignalsUrl}`,
    '',
    'Try next: change the page, push, and reload it.',
    `  git clone ${relative(process.cwd(), sample.repository)} hello && cd hello`,
    `  sed -i.bak 's/Hello from a push/Hello again/' server.js && git commit -am 'Another page' && git push`,
    '',
    'Ctrl-C ends everything; the next start resumes where this one stopped.',
    '',
  ];
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { startChild } from './child.ts';
import { atRest } from './processor.ts';
import { medians } from './rounds.ts';
import { type BenchRow, timeRow } from './row.ts';
import { type Service, startService } from './service.ts';
import { firstPush, type Pushed } from './serving/first-push.ts';
import { plain } from './serving/versions.ts';
import { quantile, ratioOf } from './statistics.ts';

const MEASURED_MS = 4_000;
const SETTLE_MS = 1_000;
const CONNECTIONS = 4_000;
const MOST_TIMES = 2;

/** An application that does as it is told by the path of a request, until it is told something else. */
const OBEYING = `const begin = { print: () => process.stdout.write('x\\n'.repeat(30000)), compute: () => { for (const end = Date.now() + 50; Date.now() < end; ); } };
let work;
const go = () => { if (!work) return; work(); setImmediate(go); };
require('node:http').createServer((q, s) => {
  work = begin[q.url.slice(1)];
  s.end('neighbour');
  setImmediate(go);
}).listen(process.env.PORT, process.env.HOST);
`;

/** What a neighbour does, from its beginning to the end that it returns. */
type Doing = () => Promise<() => Promise<unknown>>;

/** Measures the requests to an application while another one takes what it can get, and before that. */
export async function run(): Promise<readonly BenchRow[]> {
  const service = await startService('neighbour');
  const visited = await firstPush(service, 'plain', plain('visited'));
  const neighbour = await firstPush(service, 'neighbour', {
    files: { ...plain('neighbour', 'neighbour').files, 'server.js': OBEYING },
    text: 'neighbour',
  });
  try {
    const doings: readonly (readonly [figure: string, doing: Doing])[] = [
      ['prints without a pause', () => obey(neighbour, 'print')],
      ['uses a processor', () => obey(neighbour, 'compute')],
      [`has ${CONNECTIONS} connections`, () => connections(neighbour.url)],
      ['builds', () => builds(neighbour)],
    ];
    const rows: BenchRow[] = [];
    for (const [index, [figure, doing]] of doings.entries()) {
      rows.push(...(await compared({ service, url: visited.url, figure, doing, isLimited: index === 0 })));
    }
    return rows;
  } finally {
    for (const { tree } of [visited, neighbour]) tree.remove();
    await service.close();
  }
}

interface Comparison {
  readonly service: Service;
  readonly url: string;
  readonly figure: string;
  readonly doing: Doing;
  readonly isLimited: boolean;
}

async function compared({ service, url, figure, doing, isLimited }: Comparison): Promise<readonly BenchRow[]> {
  const found = await medians(async () => {
    await atRest(service.pid);
    const alone = await visits(url);
    const end = await doing();
    await setTimeout(SETTLE_MS);
    const beside = await visits(url);
    await end();
    const of = (share: number) => [quantile(alone, share), quantile(beside, share)] as const;
    const [alone50, beside50] = of(0.5);
    const [alone99, beside99] = of(0.99);
    return { alone50, beside50, alone99, beside99 };
  });
  const isReached = ratioOf(found.beside50, found.alone50) <= MOST_TIMES;
  return [
    timeRow(`request to an application while another ${figure}, p50`, {
      ...{ own: found.beside50, base: found.alone50, name: 'alone' },
      ...(isLimited && { target: `≤ ${MOST_TIMES} × it`, reached: isReached }),
    }),
    timeRow('… p99', { own: found.beside99, base: found.alone99, name: 'alone' }),
  ];
}

async function visits(url: string): Promise<readonly number[]> {
  const visitor = await startChild('front-door/visitor.ts', [url]);
  await setTimeout(MEASURED_MS);
  return JSON.parse(await visitor.close());
}

async function obey({ url }: Pushed, what: string): Promise<() => Promise<unknown>> {
  await fetch(`${url}/${what}`);
  return () => fetch(url);
}

async function connections(url: string): Promise<() => Promise<unknown>> {
  const { hostname, port } = new URL(url);
  const open = async (): Promise<Socket> => {
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    socket.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    return socket.on('error', () => undefined).resume();
  };
  const sockets: Socket[] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) sockets.push(await open());
  return async () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Pushes a commit whose build uses a processor and prints, for longer than the requests are measured. */
async function builds({ tree }: Pushed): Promise<() => Promise<unknown>> {
  const build = `node -e "for (const end = Date.now() + ${2 * MEASURED_MS}; Date.now() < end; ) console.log(Math.random())"`;
  const manifest = { name: 'neighbour', version: '1.0.0', scripts: { start: 'node server.js', build } };
  tree.commit({ 'package.json': JSON.stringify(manifest), 'change.txt': String(Date.now()) });
  await tree.push();
  return () => setTimeout(3 * MEASURED_MS);
}

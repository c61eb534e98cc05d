// Watchers of a feed, all in this process: plain sockets, the same for every feed, that look for rows only. Answers
// each message of the parent with one.
import { connect, type Socket } from 'node:net';
import { now } from './feed.ts';

/** A message of the parent: to start watchers, or to return what they have received. */
export type ToWatchers = { readonly open: { port: number; request: string; crowd: number } } | 'collect';

/** Per watcher, the id and the time of arrival of the first row of each entry, in order of arrival. */
export type Seen = readonly { readonly ids: string[]; readonly times: number[] }[];

interface Watcher {
  readonly ids: string[];
  readonly known: Set<string>;
  readonly times: number[];
  readonly socket: Socket;
}

/** Matches the first `id` of a complete row. */
const row = /^\{.*?"id":"([^"]+)".*\}\r?$/;
const watchers: Watcher[] = [];

process.on('message', (message: ToWatchers) => {
  if (message === 'collect') process.send?.(watchers.map(({ ids, times }) => ({ ids, times })) satisfies Seen);
  else open(message.open).then(() => process.send?.('begun'), fail);
});
process.on('disconnect', () => process.exit(0));

async function open({ port, request, crowd }: { port: number; request: string; crowd: number }): Promise<void> {
  await Promise.all(Array.from({ length: crowd }, () => watch(port, request)));
}

/** Resolves with the first bytes, which confirm that the feed has the watcher. */
function watch(port: number, request: string): Promise<void> {
  const watcher: Watcher = { ids: [], known: new Set(), times: [], socket: connect(port, '127.0.0.1') };
  watchers.push(watcher);
  const { socket } = watcher;
  let rest = '';
  socket
    .setNoDelay(true)
    .setEncoding('utf8')
    .once('error', fail)
    .once('close', () => fail('A watcher was cut off.'));
  socket.write(request);
  return new Promise((resolve) => {
    socket.on('data', (text: unknown) => {
      const at = now();
      resolve();
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line, at, watcher);
    });
  });
}

/** All other lines are response heads and chunk sizes; none of them splits a row. */
function take(line: string, at: number, watcher: Watcher): void {
  if (!line.startsWith('{')) return;
  const id = row.exec(line)?.[1];
  if (id === undefined) fail(`No row: ${line.slice(0, 200)}`);
  if (watcher.known.has(id)) return;
  watcher.known.add(id);
  watcher.ids.push(id);
  watcher.times.push(at);
}

function fail(reason: unknown): never {
  console.error(reason);
  process.exit(1);
}

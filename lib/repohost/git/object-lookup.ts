import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { statSync } from 'node:fs';
import type { BareRepository } from './git.ts';

/** A kind of object, with its id and size in bytes. */
interface FoundObject {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
}

type Answer = FoundObject | null | 'ended';

interface Lookup {
  readonly child: ChildProcessWithoutNullStreams;
  readonly waiting: ((answer: Answer) => void)[];
  readonly idle: NodeJS.Timeout;
  /** The folder that it reads: another one may have its name by now. */
  readonly inode: number;
  end(): void;
}

const ENDS_AFTER_MS = 5_000;
const MOST_AT_ONCE = 16;
const COMMAND = ['cat-file', '--batch-check', '--follow-symlinks'];
/** One process for each repository in use: to start one for each file takes longer than to read them. */
const lookups = new Map<string, Lookup>();

/**
 * Returns the object that an expression without a newline names in a repository, or null; links within the tree are
 * followed (https://git-scm.com/docs/git-cat-file#Documentation/git-cat-file.txt---follow-symlinks). It asks a shared
 * process that ends when it is idle, or a new one when that has died.
 */
export async function findObject(repository: BareRepository, expression: string): Promise<FoundObject | null> {
  const { git, folder } = repository;
  const answer = await ask(repository, expression);
  if (answer !== 'ended') return answer;
  const text = await git.ask(['-C', folder, ...COMMAND], `${expression}\n`);
  return objectIn(text?.split('\n')[0] ?? '');
}

async function ask(repository: BareRepository, expression: string): Promise<Answer> {
  const inode = statSync(repository.folder, { throwIfNoEntry: false })?.ino ?? 0;
  const current = lookups.get(repository.folder);
  if (current?.inode !== inode) current?.end();
  const lookup = lookups.get(repository.folder) ?? start(repository, inode);
  lookup?.idle.refresh();
  return new Promise((resolve) => {
    if (lookup === null) return resolve('ended');
    lookup.waiting.push(resolve);
    lookup.child.stdin.write(`${expression}\n`);
  });
}

function start({ git, folder }: BareRepository, inode: number): Lookup | null {
  if (lookups.size >= MOST_AT_ONCE) return null;
  const child = git.start(['-C', folder, ...COMMAND]);
  const end = () => {
    clearTimeout(lookup.idle);
    if (lookups.get(folder) === lookup) lookups.delete(folder);
    child.stdin.end();
  };
  const lookup: Lookup = { child, waiting: [], idle: setTimeout(() => end(), ENDS_AFTER_MS).unref(), inode, end };
  lookups.set(folder, lookup);
  const died = () => {
    end();
    for (const resolve of lookup.waiting.splice(0)) resolve('ended');
  };
  child.once('error', died).once('close', died);
  child.stdin.on('error', () => {});
  child.stderr.resume();
  child.stdout.on(
    'data',
    answers((answer) => lookup.waiting.shift()?.(answer)),
  );
  return lookup;
}

/** Each answer is a line; of a link that leads nowhere also its target, which is as long as the line says. */
function answers(take: (answer: FoundObject | null) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let skipped = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < skipped) return;
      rest = rest.subarray(skipped);
      skipped = 0;
      const end = rest.indexOf('\n');
      if (end < 0) return;
      const line = rest.subarray(0, end).toString('utf8');
      rest = rest.subarray(end + 1);
      const target = /^(?:symlink|dangling|loop|notdir) (\d+)$/.exec(line)?.[1];
      if (target !== undefined) skipped = Number(target) + 1;
      take(objectIn(line));
    }
  };
}

function objectIn(line: string): FoundObject | null {
  const [, id, type, bytes] = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(line) ?? [];
  return id === undefined || type === undefined ? null : { id, type, bytes: Number(bytes) };
}

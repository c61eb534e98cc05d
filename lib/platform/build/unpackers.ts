import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { howItEnded } from '../../../functions/core/output/diagnosis.ts';
import { type ChildGroup, startGroup } from '../../builder/process/child-group.ts';
import { readLines } from '../../builder/process/lines.ts';
import { bundled, programFolder } from '../../bundle/bundle.mjs';
import { removeTree } from '../../files/tree.ts';
import type { Exit } from '../../process/command.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';

interface UnpackJob {
  readonly tarball: string;
  readonly target: string;
  readonly limits: { readonly unpackedBytes: number; readonly entries: number };
}

/** A process that unpacks one tarball, and then ends. */
interface UnpackProcess {
  readonly group: ChildGroup;
  /**
   * Gives it its tarball. Resolves when all files are written, before the process has ended; rejects with one sentence
   * when it refuses the tarball, or ends.
   */
  unpack(job: UnpackJob): Promise<void>;
}

/** Processes that unpack, one of them started ahead: the start of Node takes longer than a small tarball. */
export interface Unpackers {
  /** Returns a process that waits for its tarball; `what` says for whom, for the registry of groups. */
  take(what: string): Promise<UnpackProcess>;
  /** Ends the process that waits. */
  close(): Promise<void>;
}

export interface UnpackersParts {
  readonly groups: GroupRegistry;
  /** The file of the program; it is written if it does not exist. By default one for all platforms of this checkout. */
  readonly program?: string;
  /** How long after one was taken the next is started: then the build and the start that follow have the processor. */
  readonly aheadMs: number;
}

const SOURCE = fileURLToPath(new URL('unpack-program.ts', import.meta.url));
/** Names and links of 200,000 entries take a third of it. */
const MOST_MEMORY_MB = 512;

/** Returns the unpackers of a platform. The first one is started when the first tarball comes. */
export function unpackers({
  groups,
  aheadMs,
  program = join(programFolder(), 'unpack.cjs'),
}: UnpackersParts): Unpackers {
  let timer: NodeJS.Timeout | undefined;
  let ahead: Promise<UnpackProcess | undefined> = Promise.resolve(undefined);
  let isClosed = false;
  const startAhead = () => {
    if (isClosed) return;
    const starting = start(groups, program, 'the next tarball').catch(() => undefined);
    ahead = starting;
    void starting
      .then((one) => one?.group.exited)
      .then(() => {
        if (ahead === starting) ahead = Promise.resolve(undefined);
      });
  };
  return {
    take: async (what) => {
      const waiting = ahead;
      ahead = Promise.resolve(undefined);
      clearTimeout(timer);
      timer = setTimeout(startAhead, aheadMs).unref();
      return (await waiting) ?? start(groups, program, what);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await (await ahead)?.group.end(0);
    },
  };
}

async function start(groups: GroupRegistry, program: string, what: string): Promise<UnpackProcess> {
  // One file that Node runs as it is; CommonJS starts faster than an ES module.
  await bundled({ entry: SOURCE, outfile: program, format: 'cjs' });
  let said: (line: string) => void = () => undefined;
  const firstLine = new Promise<string>((resolve) => {
    said = resolve;
  });
  const group = await startGroup(groups, {
    program: process.execPath,
    args: [`--max-old-space-size=${MOST_MEMORY_MB}`, program],
    cwd: '/',
    env: {},
    what: `${what} unpack`,
    takesInput: true,
    startsNone: true,
    output: (stream, name) =>
      readLines(stream, (line) => {
        if (name === 'stdout') said(line);
      }),
  });
  // How it ended says more than that it could not be written to.
  group.input?.on('error', () => undefined);
  return {
    group,
    unpack: async (job) => {
      group.input?.end(JSON.stringify(job));
      const outcome = await Promise.race([firstLine, group.exited.then(crashed)]);
      if (outcome !== '') throw new Error(outcome);
    },
  };
}

function crashed(exit: Exit): string {
  return `The tarball cannot be unpacked: the process that reads it ${howItEnded(exit)}.`;
}

/** A tarball to unpack; the target is emptied first. */
export interface Extraction extends UnpackJob {
  readonly unpackers: Pick<Unpackers, 'take'>;
  /** For whom it is unpacked, for the registry of groups. */
  readonly what: string;
  /** Ends the program and rejects. */
  readonly signal: AbortSignal;
}

/**
 * Unpacks a gzip tarball of one root folder into `target`; the root folder is stripped. Throws an Error with one
 * sentence for everything that the service refuses too (`functions/core/tarball`); what was unpacked until then is
 * removed.
 */
export async function extract({ unpackers, what, signal, tarball, target, limits }: Extraction): Promise<void> {
  const remove = () => removeTree(target);
  await remove();
  await mkdir(target, { recursive: true });
  const { group, unpack } = await unpackers.take(what);
  const cancel = () => void group.end(0).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const { unpackedBytes, entries } = limits;
  try {
    await unpack({ tarball, target, limits: { unpackedBytes, entries } });
  } catch (error) {
    await remove();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

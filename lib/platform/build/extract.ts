import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { howItEnded } from '../../../functions/core/output/diagnosis.ts';
import { startGroup } from '../../builder/process/child-group.ts';
import { readLines } from '../../builder/process/lines.ts';
import { bundled, programFolder } from '../../bundle/bundle.mjs';
import { removeTree } from '../../files/tree.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';

/** A tarball to unpack; the target is emptied first. */
export interface Extraction {
  readonly tarball: string;
  readonly target: string;
  readonly limits: { readonly unpackedBytes: number; readonly entries: number };
  readonly groups: GroupRegistry;
  /** For whom it is unpacked, for the registry of groups. */
  readonly what: string;
  /** Ends the program and rejects. */
  readonly signal: AbortSignal;
  /** The file of the program; it is written if it does not exist. By default one for all platforms of this checkout. */
  readonly program?: string;
}

const SOURCE = fileURLToPath(new URL('unpack-program.ts', import.meta.url));
/** Names and links of 200,000 entries take a third of it. */
const MOST_MEMORY_MB = 512;

/**
 * Unpacks a gzip tarball of one root folder into `target`, in a process of its own; the root folder is stripped. Throws an
 * Error with one sentence for everything that the service refuses too (`functions/core/tarball`); what was unpacked until
 * then is removed.
 */
export async function extract(extraction: Extraction): Promise<void> {
  const { target } = extraction;
  await removeTree(target);
  await mkdir(target, { recursive: true });
  try {
    const refusal = await unpackApart(extraction);
    if (refusal !== '') throw new Error(refusal);
  } catch (error) {
    await removeTree(target);
    throw error;
  }
}

/** Returns why the program refused the tarball; empty when it has unpacked it. */
async function unpackApart({ groups, what, signal, ...job }: Extraction): Promise<string> {
  const { tarball, target, limits, program = join(programFolder(), 'unpack.cjs') } = job;
  const { unpackedBytes, entries } = limits;
  // One file that Node runs as it is; CommonJS starts faster than an ES module.
  await bundled({ entry: SOURCE, outfile: program, format: 'cjs' });
  const options = JSON.stringify({ tarball, target, limits: { unpackedBytes, entries } });
  let said: (line: string) => void = () => undefined;
  const firstLine = new Promise<string>((resolve) => {
    said = resolve;
  });
  const group = await startGroup(groups, {
    program: process.execPath,
    args: [`--max-old-space-size=${MOST_MEMORY_MB}`, program, options],
    cwd: '/',
    env: {},
    what: `${what} unpack`,
    startsNone: true,
    output: (stream, name) =>
      readLines(stream, (line) => {
        if (name === 'stdout') said(line);
      }),
  });
  const cancel = () => void group.end(0).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const ended = group.exited
    .finally(() => signal.removeEventListener('abort', cancel))
    .then((exit) => `The tarball cannot be unpacked: the process that reads it ${howItEnded(exit)}.`);
  // All files are written then; to end takes Node as long as to unpack a small tarball.
  return Promise.race([firstLine, ended]);
}

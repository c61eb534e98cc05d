import { access, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replaceFile } from '../../processes/atomic-file.ts';
import type { Exit } from '../../processes/child-exit.ts';
import type { GroupRegistry } from '../../processes/group-registry.ts';
import { startGroup } from '../run/child-group.ts';
import { howItEnded } from '../run/diagnosis.ts';
import { readLines } from '../run/lines.ts';

/** A tarball to unpack. */
export interface Extraction {
  readonly tarball: string;
  /** Emptied first. */
  readonly target: string;
  /** Where the program that unpacks is kept; written when it is not there. */
  readonly program: string;
  /** How much the archive may hold. */
  readonly limits: { readonly unpackedBytes: number; readonly entries: number };
  readonly groups: GroupRegistry;
  /** For whom it is unpacked, for the registry of groups. */
  readonly what: string;
  /** Ends the program and rejects. */
  readonly signal: AbortSignal;
}

const SOURCE = fileURLToPath(new URL('unpack-program.ts', import.meta.url));
/** Names and links of 200,000 entries take a third of it. */
const MOST_MEMORY_MB = 512;

/**
 * Unpacks a gzip tarball of one root folder into `target`; the root folder is stripped. Throws an Error with one
 * sentence for everything that the service refuses too (`functions/core/tarball`); what was unpacked until then is
 * removed.
 */
export async function extract(spec: Extraction): Promise<void> {
  await rm(spec.target, { recursive: true, force: true, maxRetries: 3 });
  await mkdir(spec.target, { recursive: true });
  try {
    await unpackApart(spec);
  } catch (error) {
    await rm(spec.target, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

async function unpackApart(spec: Extraction): Promise<void> {
  const { tarball, target, program, signal } = spec;
  const { unpackedBytes, entries } = spec.limits;
  await prepareProgram(program);
  let sentence: string | undefined;
  const group = await startGroup(spec.groups, {
    program: process.execPath,
    args: [
      `--max-old-space-size=${MOST_MEMORY_MB}`,
      program,
      tarball,
      target,
      JSON.stringify({ unpackedBytes, entries }),
    ],
    cwd: target,
    env: {},
    what: `${spec.what} unpack`,
    output: (stream, name) =>
      readLines(stream, (line) => {
        if (name === 'stdout') sentence ??= line;
      }),
  });
  const cancel = () => void group.end(0).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const exit = await group.exited;
  signal.removeEventListener('abort', cancel);
  if (exit.code === 0) return;
  throw new Error(sentence ?? crashed(exit));
}

function crashed(exit: Exit): string {
  return `The tarball cannot be unpacked: the process that reads it ${howItEnded(exit)}.`;
}

let bundled: Promise<string> | undefined;
const written = new Set<string>();

/** One file that Node runs as it is: with the loader of TypeScript it would start in a quarter of a second. */
async function prepareProgram(file: string): Promise<void> {
  // Each start of the platform writes it again: it may be that of an earlier version.
  if (written.has(file) && (await exists(file))) return;
  bundled ??= bundle();
  await replaceFile(file, await bundled);
  written.add(file);
}

async function bundle(): Promise<string> {
  // CommonJS starts faster than an ES module.
  const options = { bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node20' } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [SOURCE], logLevel: 'silent' });
  return outputFiles[0]?.text ?? '';
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../../lib/files/errors.ts';

/** The folders of the synthesis. */
export interface SynthesisOptions {
  /** Root of the checkout. */
  readonly project: string;
  /** Folder of the cloud assembly; made anew when a source has changed. */
  readonly outdir: string;
  /** Called before the synthesis, which takes seconds. */
  readonly begin?: () => void;
}

/** The file in the output that tells what it was made from. */
const STAMP = '.sources';

/** All that the template and the bundles are made from. */
const sources = ['bin/service.ts', 'lib', 'functions', 'package.json', 'package-lock.json', 'tsconfig.json'];
/** The code of `npm start` itself does not affect the template. */
const ignored = ['cli', 'local', 'platform', 'processes', 'repohost', 'terminal']
  .map((folder) => `lib/${folder}`)
  // The stamp itself, in the output.
  .concat(`./${STAMP}`);

/**
 * Synthesises the stack, or keeps the last output when no source has changed since. Returns whether it synthesised.
 *
 * @throws OperatorError with what the synthesis said
 */
export async function synthesis({ project, outdir, begin }: SynthesisOptions): Promise<boolean> {
  const stamp = join(outdir, STAMP);
  const wanted = await digest(project, sources);
  // The output is part of the stamp: an assembly that was damaged since is made again.
  if (readIfThere(stamp) === `${wanted} ${await digest(outdir, ['.']).catch(() => '')}`) return false;
  begin?.();
  // Made beside the old one: a start that is interrupted here must not leave half an assembly behind.
  const fresh = `${outdir}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(dirname(outdir), { recursive: true });
  await run(project, fresh);
  await writeFile(join(fresh, STAMP), `${wanted} ${await digest(fresh, ['.'])}`);
  await rm(outdir, { recursive: true, force: true });
  await rename(fresh, outdir);
  return true;
}

async function digest(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(process.versions.node);
  for (const path of paths) await addTo(hash, root, path);
  return hash.digest('hex');
}

async function addTo(hash: ReturnType<typeof createHash>, root: string, path: string): Promise<void> {
  if (ignored.includes(path)) return;
  const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => null);
  if (entries === null) {
    hash.update(`${path}\0`).update(await readFile(join(root, path)));
    return;
  }
  const names = entries.map((entry) => entry.name).sort();
  for (const name of names) await addTo(hash, root, `${path}/${name}`);
}

/** In a process of its own: the CDK needs 200 MB, which are freed when it ends. */
async function run(project: string, outdir: string): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(project, 'bin/service.ts')], {
    cwd: project,
    // The CDK keeps fingerprints of files in the home folder.
    env: { ...process.env, HOME: tmpdir(), CDK_OUTDIR: outdir, FOR_AWS: 'no' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A signal to this process in the meantime ends the synthesis as well.
  const end = () => child.kill();
  process.once('exit', end);
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, 'close');
  process.off('exit', end);
  if (code === 0) return;
  throw new OperatorError(`The stack cannot be synthesised:\n${Buffer.concat(said).toString('utf8').trim()}`);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

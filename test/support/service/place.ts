import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout. */
export const project = fileURLToPath(new URL('../../..', import.meta.url));

/** How long tests wait for something to happen, in milliseconds; many times what an idle machine needs. */
export const WAIT_LIMIT_MS = 240_000;

/** The folder for the files of tests; nothing is written outside the checkout. */
export const testFolder = join(project, '.local', 'test');

/** The synthesised stack, shared by all tests of one run. */
export const testAssembly = join(testFolder, 'cdk.out');

/** The bundled page, shared by all services of tests. */
export const testPage = join(testFolder, 'page');

/** Returns a folder of a service's data that builds and applications of `demo` see too, isolated or not. */
export function seenByBuilds(dataDir: string): string {
  const folder = join(dataDir, 'platform/user-caches/demo');
  mkdirSync(folder, { recursive: true });
  return folder;
}

import { build, type Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';

describe('the bundle of authorize, which runs before every request', () => {
  it('is small and imports only Node’s crypto, no SDK and no framework', async () => {
    const { metafile } = await build({
      entryPoints: ['functions/authorize/handler.ts'],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // As the stack bundles it: what only AWS Lambda's accounts need is loaded when they are asked.
      splitting: true,
      outdir: 'out',
    });
    const loaded = loadedAtOnce(metafile, 'out/handler.js');
    expect(loaded.reduce((sum, path) => sum + (metafile.outputs[path]?.bytes ?? 0), 0)).toBeLessThan(20_000);
    const outside = loaded.flatMap((path) => metafile.outputs[path]?.imports ?? []).filter(({ external }) => external);
    expect(new Set(outside.map(({ path }) => path))).toEqual(new Set(['node:crypto']));
    const inputs = loaded.flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
  });
});

/** Returns a file of the bundle with all files that it imports statically. */
function loadedAtOnce(metafile: Metafile, entry: string, seen: string[] = []): string[] {
  if (seen.includes(entry)) return seen;
  seen.push(entry);
  for (const { path, kind, external } of metafile.outputs[entry]?.imports ?? []) {
    if (kind === 'import-statement' && !external) loadedAtOnce(metafile, path, seen);
  }
  return seen;
}

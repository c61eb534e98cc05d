import { resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../../lib/stack/bundles.ts';

describe('the bundle of authorize, which runs before every request', () => {
  it('has of the SDK only the client of the database, and not the framework of the other functions', async () => {
    const entry = await entryOf({ factory: 'authorize', file: resolve('functions/aws/endpoints.ts') });
    const { metafile } = await build({
      stdin: { contents: entry, resolveDir: 'functions/aws' },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      splitting: true,
      outdir: 'out',
    });
    const loaded = loadedAtOnce(metafile, 'out/stdin.js');
    expect(loaded.reduce((sum, path) => sum + (metafile.outputs[path]?.bytes ?? 0), 0)).toBeLessThan(600_000);
    const inputs = loaded.flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
    expect([...packages].filter((name) => name.includes('/client-'))).toEqual(['@aws-sdk/client-dynamodb']);
    expect([...packages].filter((name) => name.startsWith('@middy/'))).toEqual([]);
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

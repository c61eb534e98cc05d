import { build } from 'esbuild';
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
      outfile: 'index.mjs',
    });
    const [output] = Object.values(metafile.outputs);
    expect(output?.bytes).toBeLessThan(20_000);
    expect(output?.imports.map(({ path }) => path)).toEqual(['node:crypto']);
    expect(Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'))).toEqual([]);
  });
});

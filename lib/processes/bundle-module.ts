import { type BuildOptions, build, stop } from 'esbuild';

/** Bundles that are being made. */
let open = 0;

/** Bundles a module and all that it imports for Node, and returns the text of the one file. */
export async function bundleModule(source: string, format: 'cjs' | 'esm'): Promise<string> {
  const options = { bundle: true, write: false, platform: 'node', target: 'node20', logLevel: 'silent' } as const;
  open += 1;
  try {
    const { outputFiles } = await build({ ...options, format, entryPoints: [source] } satisfies BuildOptions);
    return outputFiles[0]?.text ?? '';
  } finally {
    open -= 1;
    // Its helper process takes 17 MB, and the next bundle starts another one.
    if (open === 0) await stop();
  }
}

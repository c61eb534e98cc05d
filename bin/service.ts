import { synthesise } from '../lib/synthesise.ts';

// The CDK command line says where it wants the output; without it, that is where it would look by itself.
const outdir = process.env.CDK_OUTDIR;
await synthesise(outdir === undefined ? {} : { outdir });

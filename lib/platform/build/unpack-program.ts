// Unpacks one tarball in a separate process: what an archive could do to its reader then ends a build, not the
// service. What to unpack comes as JSON on standard input, because the process is started ahead. It prints an empty line
// when all files are written, or one sentence when it fails; when the platform ends before it has something to unpack, so
// does this process.
import { text } from 'node:stream/consumers';
import { TARBALL_LIMITS } from '../../../functions/core/tarball/limits.ts';
import { unpack } from '../../builder/unpack.ts';

main().catch((error: Error) => console.log(error.message || error.name));

async function main(): Promise<void> {
  const job = await text(process.stdin);
  if (job === '') return;
  const { tarball, target, limits } = JSON.parse(job);
  await unpack(tarball, target, { ...TARBALL_LIMITS, ...limits });
  console.log();
}

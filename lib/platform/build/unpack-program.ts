// Unpacks one tarball in a separate process: what an archive could do to its reader then ends a build, not the
// service. The argument says what to unpack, as JSON. It prints an empty line when all files are written, or one sentence
// when it fails.
import { TARBALL_LIMITS } from '../../../functions/core/tarball/limits.ts';
import { unpack } from '../../builder/unpack.ts';

const { tarball, target, limits } = JSON.parse(process.argv[2] ?? '');
unpack(tarball, target, { ...TARBALL_LIMITS, ...limits }).then(
  () => console.log(),
  (error: Error) => console.log(error.message || error.name),
);

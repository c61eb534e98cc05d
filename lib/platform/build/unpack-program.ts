// Unpacks one tarball in a process of its own: what an archive could do to its reader then ends a build, not the
// service. Arguments: tarball, target, limits as JSON. When it fails it prints one sentence and ends with 1.
import { DeployError } from '../../../functions/core/errors.ts';
import { TARBALL_LIMITS } from '../../../functions/core/tarball/limits.ts';
import { unpack } from './unpack.ts';

const [tarball = '', target = '', limits = '{}'] = process.argv.slice(2);
unpack(tarball, target, { ...TARBALL_LIMITS, ...JSON.parse(limits) }).catch((error: unknown) => {
  process.exitCode = 1;
  console.log(error instanceof DeployError ? error.detail : `The tarball cannot be unpacked: ${messageOf(error)}.`);
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import semver from 'semver';
import type { StartManifest } from '../run/start-command.ts';

/**
 * Returns one sentence when `engines.node` of an application's package.json excludes the Node that will run it, as npm
 * warns with EBADENGINE. The application may run all the same, so the build continues.
 */
export function engineWarning({ engines }: StartManifest, version = process.version): string | undefined {
  if (engines?.node === undefined) return undefined;
  const wanted = engines.node.slice(0, 80);
  if (semver.validRange(engines.node) === null) {
    return `package.json: engines.node is "${wanted}", which is not a range of versions.`;
  }
  // As npm does: a prerelease of Node counts as the version that it precedes.
  if (semver.satisfies(version, engines.node, { includePrerelease: true })) return undefined;
  return `package.json: engines.node is "${wanted}"; the application runs on Node ${version}.`;
}

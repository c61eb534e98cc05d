import type { Readable } from 'node:stream';
import { howItEnded } from '../../../functions/core/output/diagnosis.ts';
import type { Process } from '../../../functions/core/ports/processes.ts';
import { appEnvironment, type OwnEnvironment, type ReleaseFolders } from '../../builder/process/child-environment.ts';
import { type ChildGroup, startGroup } from '../../builder/process/child-group.ts';
import type { OutputName } from '../../builder/process/lines.ts';
import { sightOfApp } from '../../builder/process/sight.ts';
import type { StartCommand } from '../../builder/start/start-command.ts';
import type { Exit } from '../../process/command.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import type { StartedGroup } from '../../process/members.ts';
import { type Isolation, placeOf, withPaths } from '../../process/sandbox.ts';
import type { AppSpec, ReleaseSpec } from '../calls.ts';
import type { MemoryWatch } from '../limits/memory-watch.ts';

/** Shared by all processes of a release. */
export interface ProcessContext
  extends Pick<AppSpec, 'isolation' | 'dataDir' | 'variables' | 'caches' | 'memoryMb'>,
    Pick<ReleaseSpec, 'manifest'> {
  readonly own: OwnEnvironment;
  readonly groups: GroupRegistry;
  /** `<user>/<app>`. */
  readonly what: string;
  readonly release: ReleaseFolders;
  readonly memory: MemoryWatch;
}

interface ProcessSpec {
  readonly command: StartCommand;
  /** Absent for one that gets no traffic. */
  readonly port?: number;
  readonly takesInput?: boolean;
  /** Called with standard output and with standard error; both must be read, or the process blocks. */
  readonly output: (stream: Readable, name: OutputName) => void;
}

/** The exit of a process, as the end of a sentence. */
export interface Ending {
  readonly how: string;
  /** Whether it was ended because it used too much memory, or had too many processes. */
  readonly tooLarge: boolean;
  readonly exit: Exit;
  /** By `performance.now()`, when it was last seen to be well, if it was ended because it was not; absent: until its end. */
  readonly wellUntil?: number | undefined;
}

/** A running process of an application, with all that it has started. */
export interface AppProcess {
  readonly group: ChildGroup;
  readonly ended: Promise<Ending>;
  /** The limit for which it was ended, as the end of a sentence; undefined otherwise. */
  exceeded(): string | undefined;
}

/** A process as the API shows it but for its memory, and its group; undefined when it does not run. */
export interface Listed {
  readonly process: Omit<Process, 'memory'>;
  readonly group: StartedGroup | undefined;
}

/** Shorter than usual: until then it may use still more. */
const TOO_LARGE_GRACE_MS = 1_000;

/** Starts a process of a release. Rejects with one sentence when there is no such program. */
export async function startProcess(context: ProcessContext, spec: ProcessSpec): Promise<AppProcess> {
  const { command, port, output, takesInput = false } = spec;
  const group = await startGroup(context.groups, {
    program: command.program,
    args: command.args,
    cwd: context.release.folder,
    env: appEnvironment(context.own, { ...context, script: command.text, ...(port !== undefined && { port }) }),
    what: context.what,
    ...(context.isolation && { sandbox: { ...context.isolation, ...sightOfApp(context, command.args) } }),
    takesInput,
    output,
  });
  const exceeded = limitMemory(context, group);
  const ended = group.exited.then((exit): Ending => {
    const tooMuch = exceeded();
    return { how: tooMuch ?? howItEnded(exit), tooLarge: tooMuch !== undefined, exit };
  });
  return { group, ended, exceeded };
}

/** Ends the group when it uses too much memory. Returns what says so, of it and of processes. */
function limitMemory({ memory, memoryMb }: ProcessContext, group: ChildGroup): () => string | undefined {
  let exceeded: string | undefined;
  if (memoryMb !== null) {
    const stop = memory.watch({ ...group, limitMb: memoryMb }, () => {
      exceeded = `used more than ${memoryMb} MB`;
      void group.end(TOO_LARGE_GRACE_MS);
    });
    void group.exited.then(stop);
  }
  return () => group.overrun() ?? exceeded;
}

/** Returns the folder of a release as its processes have it, and print it. */
export function folderSeen({ root, folder }: Pick<ReleaseFolders, 'root' | 'folder'>, isolation: Isolation | null) {
  return isolation === null ? folder : withPaths(folder, root, placeOf(root));
}

/** The lines that are kept of what a process prints, for the reason of its failure. */
const KEPT_LINES = 100;

/** Collects the last lines of an output. */
export function lastLines(): { readonly lines: string[]; add(line: string): void } {
  const lines: string[] = [];
  return {
    lines,
    add: (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    },
  };
}

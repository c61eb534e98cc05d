import { createInterface } from 'node:readline';
import type { GroupRegistry } from '../../processes/group-registry.ts';
import { installEnvironment, type OwnEnvironment } from '../run/child-environment.ts';
import { startGroup } from '../run/child-group.ts';
import { howItEnded } from '../run/diagnosis.ts';
import type { Variables } from '../store/variables.ts';

/** A release to run npm in. */
export interface InstallSpec {
  readonly command: 'ci' | 'install';
  readonly what: string;
  readonly release: string;
  readonly npmCache: string;
  readonly variables: Variables;
  readonly milliseconds: number;
  /** Gets each line that npm and the install scripts print. */
  readonly line: (line: string) => void;
  /** Ends npm and rejects. */
  readonly signal: AbortSignal;
}

/**
 * Runs `npm ci` or `npm install` without the development dependencies, install scripts included. Throws an Error with the
 * one sentence that npm's output comes down to.
 */
export async function runNpm(own: OwnEnvironment, groups: GroupRegistry, spec: InstallSpec): Promise<void> {
  const errors: string[] = [];
  const group = await startGroup(groups, {
    program: 'npm',
    args: [spec.command, '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier'],
    cwd: spec.release,
    env: installEnvironment(own, spec),
    what: spec.what,
    output: (stream) => {
      createInterface({ input: stream }).on('line', (line) => {
        spec.line(line);
        if (/^npm (?:error|ERR!)/.test(line)) errors.push(line.replace(/^npm (?:error|ERR!) ?/, ''));
      });
    },
  });
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped = reason;
    group.end(2_000).catch(() => undefined);
  };
  const timer = setTimeout(
    () => stop(`did not finish within ${Math.round(spec.milliseconds / 60_000)} minutes`),
    spec.milliseconds,
  );
  const called = () => stop('was called off');
  spec.signal.addEventListener('abort', called);
  if (spec.signal.aborted) called();
  const exit = await group.exited;
  clearTimeout(timer);
  spec.signal.removeEventListener('abort', called);
  if (stopped) throw new Error(`npm ${spec.command} ${stopped}.`);
  if (exit.code !== 0) throw new Error(`npm ${spec.command} ${howItEnded(exit)}${distilled(errors, spec.release)}.`);
}

/** The line of npm's that says what was wrong: the first after its code and the file it concerns. */
function distilled(errors: readonly string[], release: string): string {
  const telling = errors.find(
    (line) => line.trim() !== '' && !/^(?:code|path|command|syscall|errno|A complete log|\s)/.test(line),
  );
  const code = errors.find((line) => line.startsWith('code '))?.slice(5);
  const parts = [code, telling?.trim().replace(/\.$/, '')].filter(Boolean);
  // Paths as the author of the application knows them, and not where this machine keeps its releases.
  const text = parts.join(': ').replaceAll(`${release}/`, '').slice(0, 300);
  return text === '' ? '' : `: ${text}`;
}

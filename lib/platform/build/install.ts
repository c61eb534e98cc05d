import type { GroupRegistry } from '../../processes/group-registry.ts';
import { installEnvironment, type OwnEnvironment } from '../run/child-environment.ts';
import { startGroup } from '../run/child-group.ts';
import { howItEnded } from '../run/diagnosis.ts';
import { readLines } from '../run/lines.ts';
import type { Variables } from '../store/variables.ts';

const GRACE_MS = 2_000;
const LONGEST_REASON = 300;
const MOST_ERRORS = 100;

/** A release to run npm in. */
export interface InstallSpec {
  readonly command: 'ci' | 'install';
  readonly what: string;
  readonly release: string;
  readonly npmCache: string;
  readonly variables: Variables;
  readonly timeoutMs: number;
  /** Called with each line that npm and the install scripts print. */
  readonly line: (line: string) => void;
  /** Ends npm and rejects. */
  readonly signal: AbortSignal;
}

/**
 * Runs `npm ci` or `npm install` without the development dependencies, install scripts included. Throws an Error with one
 * sentence from npm's output.
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
      readLines(stream, (line) => {
        spec.line(line);
        const isError = errors.length < MOST_ERRORS && /^npm (?:error|ERR!)/.test(line);
        if (isError) errors.push(line.replace(/^npm (?:error|ERR!) ?/, ''));
      });
    },
  });
  let stopped: string | undefined;
  const stop = (reason: string) => {
    stopped = reason;
    group.end(GRACE_MS).catch(() => undefined);
  };
  const timer = setTimeout(
    () => stop(`did not finish within ${Math.round(spec.timeoutMs / 60_000)} minutes`),
    spec.timeoutMs,
  );
  const cancel = () => stop('was cancelled');
  spec.signal.addEventListener('abort', cancel);
  if (spec.signal.aborted) cancel();
  const exit = await group.exited;
  clearTimeout(timer);
  spec.signal.removeEventListener('abort', cancel);
  if (stopped) throw new Error(`npm ${spec.command} ${stopped}.`);
  if (exit.code !== 0) throw new Error(`npm ${spec.command} ${howItEnded(exit)}${reasonIn(errors, spec.release)}.`);
}

/** Returns npm's error code and the first line that says what went wrong. */
function reasonIn(errors: readonly string[], release: string): string {
  const message = errors.find(
    (line) => line.trim() !== '' && !/^(?:code|path|command|syscall|errno|A complete log|\s)/.test(line),
  );
  const code = errors.find((line) => line.startsWith('code '))?.slice(5);
  const parts = [code, message?.trim().replace(/\.$/, '')].filter(Boolean);
  // Paths relative to the application, as its author knows them.
  const text = parts.join(': ').replaceAll(`${release}/`, '').slice(0, LONGEST_REASON);
  return text === '' ? '' : `: ${text}`;
}

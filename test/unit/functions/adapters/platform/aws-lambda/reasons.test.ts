import { once } from 'node:events';
import type { InvokeCommandOutput } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { buildFailure } from '../../../../../../functions/adapters/platform/aws-lambda/build/build-failure.ts';
import { logGroupOf } from '../../../../../../functions/adapters/platform/aws-lambda/names.ts';
import { tryVersion } from '../../../../../../functions/adapters/platform/aws-lambda/run/try-version.ts';
import { fakeClient } from '../../../../../fakes/aws/aws-error.ts';
import { fakeAws } from '../../../../../fakes/aws/platform-parts.ts';

/** Returns the failure of a build that has printed these lines; `late` ones are in the log after a second look. */
async function failureOf(lines: readonly string[], late: readonly string[] = []) {
  const { parts, logs } = fakeAws();
  const write = (some: readonly string[]) => {
    for (const line of some) logs.write('builds', '1', `${line}\n`);
  };
  write(['[Container] Running command', '--- build begins', ...lines]);
  const clock = { ...parts.clock, sleep: async () => write([...late, '--- build ends']) };
  if (late.length === 0) write(['--- build ends', '[Container] Phase complete: BUILD State: FAILED']);
  const build = { buildStatus: 'FAILED' as const, logs: { groupName: 'builds', streamName: '1' } };
  return buildFailure(build, { ...parts, clock });
}

describe('the reason of a failed build on AWS Lambda', () => {
  it('is the sentence of the build, and its log is what the build printed', async () => {
    const said = ['> shop@1.0.0 build', '--- error: npm run build exited with code 2: wrong.'];
    expect(await failureOf(said)).toEqual({ reason: 'npm run build exited with code 2: wrong.', log: said });
  });

  it('waits for the last lines, which the log gets after the end of the build', async () => {
    const { reason } = await failureOf(['npm error code EUSAGE'], ['--- error: npm ci exited with code 1: EUSAGE.']);
    expect(reason).toBe('npm ci exited with code 1: EUSAGE.');
  });
});

/** Returns the error of a version that answers its first request so. */
async function refusal(answer: object, printed: readonly string[], path = '') {
  const { parts } = fakeAws();
  const output: Partial<InvokeCommandOutput> = {
    ...answer,
    LogResult: Buffer.from(['START RequestId: 1 Version: 1', ...printed].join('\n')).toString('base64'),
  };
  const lambda = fakeClient<typeof parts.lambda>({ InvokeCommand: () => output });
  const { detail, logTail } = await tryVersion({ name: 'shop', version: '1', path }, { ...parts, lambda }).then(
    () => expect.unreachable(),
    (error: { detail: string; logTail: readonly string[] }) => error,
  );
  return { detail, logTail };
}

const payload = (value: object) => ({ Payload: Buffer.from(JSON.stringify(value)) });
const ended = (errorMessage: string) => ({ FunctionError: 'Unhandled', ...payload({ errorMessage }) });
const exit = (status: string) => ended(`RequestId: 1 Error: Runtime exited with error: ${status}`);

describe('the reason of a failed start on AWS Lambda', () => {
  it('is the error that the application printed, with the place in its own files', async () => {
    const lines = [
      'file:///var/task/app/web/server.js:3',
      'const = 1;',
      '      ^',
      "SyntaxError: Unexpected token '='",
      'Node.js v24.1.0',
    ];
    const { detail, logTail } = await refusal(exit('exit status 1'), lines, 'web');
    expect(detail).toBe("SyntaxError: Unexpected token '=' (server.js:3)");
    expect(logTail).toEqual(['file://web/server.js:3', ...lines.slice(1)]);
  });

  it.each([
    [
      'how it ended, and its last line',
      exit('exit status 3'),
      ['no database'],
      'The process exited with code 3 before it answered; its last line was: no database',
    ],
    [
      'how it ended also without an error',
      ended('RequestId: 1 Error: Runtime exited without providing a reason'),
      ['done', 'RequestId: 1 Error: Runtime exited without providing a reason', 'Runtime.ExitError'],
      'The process exited with code 0 before it answered; its last line was: done',
    ],
    [
      'the signal that ended it',
      exit('signal: killed'),
      ['bye'],
      'The process was ended by killed before it answered; its last line was: bye',
    ],
    [
      'that it has not answered within the timeout of a request',
      ended('RequestId: 1 Error: Task timed out after 30.00 seconds'),
      ['waiting'],
      'The application did not answer GET / within 30 s.',
    ],
    [
      'what Lambda says otherwise',
      ended('RequestId: 1 Error: Unable to import module'),
      ['waiting'],
      'The application ended before it answered: Error: Unable to import module',
    ],
    [
      'the status that it answers, and the error that it printed',
      payload({ statusCode: 500 }),
      ['Error: no table', '    at /var/task/app/lib/db.js:7:3'],
      'The application answered 500 to GET /: Error: no table (lib/db.js:7).',
    ],
    [
      'the status alone when it printed nothing of it',
      payload({ statusCode: 503 }),
      ['up'],
      'The application answered 503 to GET /.',
    ],
  ])('is %s', async (_what, answer, printed, reason) => {
    expect((await refusal(answer, printed)).detail).toBe(reason);
  });

  it('is the port that it prints, when that is not its own and nothing answers', async () => {
    const { parts, logs } = fakeAws();
    // After the call has begun: what is older than that is not asked for.
    const late = async (_: unknown, { abortSignal }: { readonly abortSignal: AbortSignal }) => {
      logs.write(logGroupOf('shop'), '1', 'Server is running on http://localhost:3000\n');
      if (!abortSignal.aborted) await once(abortSignal, 'abort');
      throw abortSignal.reason;
    };
    const lambda = fakeClient<typeof parts.lambda>({ InvokeCommand: late });
    const candidate = { name: 'shop', version: '1', path: '', limitMs: 20 };
    await expect(tryVersion(candidate, { ...parts, lambda })).rejects.toMatchObject({
      detail:
        'The application did not answer GET / within 0.02 s; it prints port 3000, and must listen on that in PORT.',
    });
  });
});

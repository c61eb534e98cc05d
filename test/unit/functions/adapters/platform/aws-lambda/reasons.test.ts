import { once } from 'node:events';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { CodeBuildClient } from '@aws-sdk/client-codebuild';
import type { InvokeCommandOutput, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { buildFailure } from '../../../../../../functions/adapters/platform/aws-lambda/build/build-failure.ts';
import { lambdaBuildOutput } from '../../../../../../functions/adapters/platform/aws-lambda/build/build-output.ts';
import type { LambdaPlatformParts } from '../../../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { tryVersion } from '../../../../../../functions/adapters/platform/aws-lambda/run/try-version.ts';
import { systemClock } from '../../../../../../functions/adapters/system/clock.ts';
import { fakeClient } from '../../../../../fakes/aws-error.ts';

/** Returns CloudWatch Logs with these lines as its only log. */
function logsOf(lines: readonly string[]) {
  const events = () => lines.map((line) => ({ message: `${line}\n` }));
  return fakeClient<CloudWatchLogsClient>({
    FilterLogEventsCommand: () => ({ events: events() }),
    GetLogEventsCommand: ({ nextToken }: { readonly nextToken?: string }) => ({
      events: events().slice(Number(nextToken ?? 0)),
      nextForwardToken: String(lines.length),
    }),
  });
}

/** Returns the failure of a build that has printed these lines; `late` ones are in the log after a second look. */
async function failureOf(printed: readonly string[], late: readonly string[] = []) {
  const lines = ['[Container] Running command', '--- build begins', ...printed];
  if (late.length === 0) lines.push('--- build ends', '[Container] Phase complete: BUILD State: FAILED');
  const clock = { ...systemClock, sleep: async () => void lines.push(...late, '--- build ends') };
  const build = { buildStatus: 'FAILED' as const, logs: { groupName: 'builds', streamName: '1' } };
  return buildFailure(build, { logs: logsOf(lines), clock });
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

it('The log of a build has not the line in which a build on AWS tells what it has used', async () => {
  const found = '--- found: {"build":"npm run build"}';
  const logs = logsOf(['--- build begins', '> shop@1.0.0 build', found, '--- build ends']);
  const built = { buildStatus: 'SUCCEEDED', logs: { groupName: 'builds', streamName: '1' } };
  const codeBuild = fakeClient<CodeBuildClient>({ BatchGetBuildsCommand: () => ({ builds: [built] }) });
  const table = { read: async () => ({ build: '1' }) } as unknown as LambdaPlatformParts['table'];
  const output = lambdaBuildOutput({ table, codeBuild, logs, clock: systemClock });
  const snapshot = { user: 'ann', app: 'shop', snapshot: '1.0.0-1' };
  const lines: string[] = [];
  for await (const batch of (await output.read(snapshot, false, new AbortController().signal)) ?? [])
    lines.push(...batch.map(({ line }) => line));
  expect(lines).toEqual(['> shop@1.0.0 build']);
});

/** Returns the error of a version that answers its first request so. */
async function refusal(answer: object, printed: readonly string[], path = '') {
  const output: Partial<InvokeCommandOutput> = {
    ...answer,
    LogResult: Buffer.from(['START RequestId: 1 Version: 1', ...printed].join('\n')).toString('base64'),
  };
  const lambda = fakeClient<LambdaClient>({ InvokeCommand: () => output });
  const parts = { lambda, logs: logsOf([]), clock: systemClock };
  const { detail, logTail } = await tryVersion({ name: 'shop', version: '1', path }, parts).then(
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
    const lines: string[] = [];
    // After the call has begun: what is older than that is not asked for.
    const late = async (_: unknown, { abortSignal }: { readonly abortSignal: AbortSignal }) => {
      lines.push('Server is running on http://localhost:3000');
      if (!abortSignal.aborted) await once(abortSignal, 'abort');
      throw abortSignal.reason;
    };
    const parts = {
      lambda: fakeClient<LambdaClient>({ InvokeCommand: late }),
      logs: logsOf(lines),
      clock: systemClock,
    };
    const candidate = { name: 'shop', version: '1', path: '', limitMs: 20 };
    await expect(tryVersion(candidate, parts)).rejects.toMatchObject({
      detail:
        'The application did not answer GET / within 0.02 s; it prints port 3000, and must listen on that in PORT.',
    });
  });
});

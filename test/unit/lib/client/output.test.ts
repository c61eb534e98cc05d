import { describe, expect, it } from 'vitest';
import { client, Problem } from '../../../../lib/client/client.ts';
import { type FollowedOutput, followOutput, readLine, Seen } from '../../../../lib/client/output.ts';
import { apiServer, type Reply, server } from '../../../support/api-server.ts';

describe('a line of an output', () => {
  it('a line that is neither output nor an ending is left out', () => {
    expect(readLine('{"at":"t","stream":"stdout","line":"x"}')).toEqual({ at: 't', stream: 'stdout', line: 'x' });
    expect(readLine('{"code":"status:changes:timeout","status":408}')).toMatchObject({
      code: 'status:changes:timeout',
    });
    expect(['', '{', 'null', '[]', '{"line":1}'].map(readLine)).toEqual(Array(5).fill(null));
  });

  it('an output that is taken up again repeats no line, also of those with the same time', () => {
    const seen = new Seen();
    const lines = ['1', '2', '2'].map((at) => ({ at, stream: 'stdout', line: '' }));
    expect(lines.map((line) => seen.isNew(line))).toEqual([true, true, true]);
    seen.again();
    expect([...lines, { at: '2', stream: 'stdout', line: 'new' }].map((line) => seen.isNew(line))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('an output that is taken up again later than what was seen has only new lines', () => {
    const seen = new Seen();
    seen.isNew({ at: '1' });
    seen.again();
    expect(['2', '2'].map((at) => seen.isNew({ at }))).toEqual([true, true]);
  });
});

describe('following an output', () => {
  const printed = (second: number, line: string) => ({
    at: `2026-03-04T05:06:0${second}.000Z`,
    stream: 'stdout',
    line,
  });
  const stream = (...lines: readonly object[]) => ({
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
  });
  const full = { status: 429, headers: { 'retry-after': '0' }, body: { code: 'request:throttled', detail: 'Full.' } };
  const timeout = { code: 'status:changes:timeout', status: 408 };

  /** The lines of an output that is answered so, and the requests that were made. */
  async function followed(replies: readonly Reply[], options: Partial<FollowedOutput> = {}) {
    const { url, received } = await apiServer(...replies);
    const lines: string[] = [];
    const service = client({ url, user: 'ann', secret: 's' });
    const { signal } = new AbortController();
    const output = followOutput(service, { request: { path: ['logs'] }, signal, ...options });
    const failure = await (async () => {
      for await (const { line } of output) lines.push(line);
      return null;
    })().catch((error: unknown) => error);
    return { lines, failure, calls: received.map((one) => one.url) };
  }

  it('goes on in another stream after the time limit, and repeats no line', async () => {
    const first = [printed(1, 'a'), printed(2, 'b')];
    const replies = [stream(...first, timeout), stream(...first, printed(2, 'c'))] as const;
    const { lines, calls } = await followed([...replies], { lines: 5, resumeLines: 1000 });
    expect(lines).toEqual(['a', 'b', 'c']);
    expect(calls).toEqual(['/1/logs?lines=5&follow=true', '/1/logs?lines=1000&follow=true']);
  });

  it.each([
    ['from now on, while nothing has come', 0, [[], [printed(2, 'new')]], ['new'], [0, 0]],
    [
      'from now on, once something has come',
      0,
      [[printed(2, 'new')], [printed(1, 'old'), printed(2, 'new')]],
      ['new'],
      [0, 9],
    ],
    ['fewer lines than were asked for', 5, [[printed(1, 'a')], [printed(1, 'a'), printed(1, 'b')]], ['a', 'b'], [5, 9]],
    [
      'the last of several with the same time',
      2,
      [
        [printed(1, 'x'), printed(1, 'x')],
        [...Array(4).fill(printed(1, 'x')), printed(2, 'y')],
      ],
      ['x', 'x', 'y'],
      [2, 9],
    ],
  ] as const)(
    'prints no old line after the time limit, when it began with %s',
    async (_, count, sent, printedLines, asked) => {
      const [first, second] = sent;
      const replies = [stream(...first, timeout), stream(...second)];
      const { lines, calls } = await followed(replies, { lines: count, resumeLines: 9 });
      expect(lines).toEqual(printedLines);
      expect(calls).toEqual(asked.map((number) => `/1/logs?lines=${number}&follow=true`));
    },
  );

  it('reads what there is while too many streams are open, and says so once', async () => {
    const told: unknown[] = [];
    const replies = [full, stream(printed(1, 'a')), full, full, stream(printed(1, 'a'), printed(2, 'b'))] as const;
    const { lines, calls } = await followed([...replies], { onInterruption: (error) => told.push(error) });
    expect(lines).toEqual(['a', 'b']);
    expect(calls.map((call) => call?.includes('follow'))).toEqual([true, false, true, false, true]);
    expect(told).toHaveLength(2);
  });

  it('says that the service has broken the output off, and goes on', async () => {
    const told: unknown[] = [];
    const fatal = { code: 'status:changes:fatal', status: 500 };
    const replies = [stream(printed(1, 'a'), fatal), stream(printed(1, 'a'), printed(2, 'b'))] as const;
    const { lines } = await followed([...replies], { onInterruption: (error) => told.push(String(error)) });
    expect(lines).toEqual(['a', 'b']);
    expect(told).toEqual(['Error: it ended the output with status:changes:fatal']);
  });

  it('closes its connection when the caller leaves the loop', async () => {
    let isClosed = false;
    const url = await server((_, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(`${JSON.stringify(printed(1, 'a'))}\n`);
    });
    const { signal } = new AbortController();
    for await (const _ of followOutput(client({ url, user: 'ann', secret: 's' }), { request: { path: [] }, signal }))
      break;
    await expect.poll(() => isClosed).toBe(true);
  });

  it('ends with the refusal that another attempt would meet as well', async () => {
    const { failure } = await followed([{ status: 404, body: { code: 'status:db:not_found', detail: 'No such.' } }]);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({ status: 404, code: 'status:db:not_found' });
  });

  it('ends when the interruption is not to be waited for', async () => {
    const onInterruption = (error: unknown) => {
      throw error;
    };
    expect((await followed(['hang up'], { onInterruption })).failure).toBeInstanceOf(TypeError);
  });
});

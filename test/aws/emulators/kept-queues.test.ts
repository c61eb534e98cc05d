import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ACCOUNT, clientFor } from '../../aws-local/clients.ts';
import { startEmulators } from '../../aws-local/emulators/emulators.ts';
import { keptQueues } from '../../aws-local/emulators/kept-queues/store.mjs';

const FIFO = { FifoQueue: 'true' };
const emulatorFile = new URL('../../aws-local/emulators/sqs-s3.ts', import.meta.url).href;
const clientsFile = new URL('../../aws-local/clients.ts', import.meta.url).href;

let folder: string;
let journal: string;
const running: { close(): Promise<void> }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-queues-'));
  journal = join(folder, 'messages.jsonl');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await stop();
  rmSync(folder, { recursive: true });
});

/** The calls of one start of the emulator, for the queue of that name. */
function callsTo(settings: ReturnType<typeof clientFor>) {
  const client = new SQSClient({ ...settings, maxAttempts: 1, useQueueUrlAsEndpoint: false });
  const urls = new Map<string, string>();
  const queue = (name: string) => {
    const at = () => ({ QueueUrl: urls.get(name) ?? '' });
    return {
      create: async (Attributes: Record<string, string> = {}) => {
        const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
        urls.set(name, QueueUrl);
      },
      send: (MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
        client.send(new SendMessageCommand({ ...at(), MessageBody, ...more })),
      sendTo: (MessageGroupId: string, MessageBody: string, MessageDeduplicationId = MessageBody) =>
        client.send(new SendMessageCommand({ ...at(), MessageBody, MessageGroupId, MessageDeduplicationId })),
      sendAll: (bodies: readonly string[]) => {
        const Entries = bodies.map((MessageBody, place) => ({ Id: `${place}`, MessageBody }));
        return client.send(new SendMessageBatchCommand({ ...at(), Entries }));
      },
      receive: async (more: Partial<ReceiveMessageCommandInput> = {}) => {
        const all = { MessageSystemAttributeNames: ['All' as const], MessageAttributeNames: ['All'] };
        const request = new ReceiveMessageCommand({ ...at(), MaxNumberOfMessages: 10, ...all, ...more });
        return (await client.send(request)).Messages ?? [];
      },
      remove: (ReceiptHandle: string | undefined) => client.send(new DeleteMessageCommand({ ...at(), ReceiptHandle })),
      hide: (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
        client.send(new ChangeMessageVisibilityCommand({ ...at(), ReceiptHandle, VisibilityTimeout })),
      purge: () => client.send(new PurgeQueueCommand(at())),
      drop: () => client.send(new DeleteQueueCommand(at())),
      /** How many messages are visible, in flight and delayed. */
      counts: async () => {
        const AttributeNames = [
          'ApproximateNumberOfMessages' as const,
          'ApproximateNumberOfMessagesNotVisible' as const,
          'ApproximateNumberOfMessagesDelayed' as const,
        ];
        const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ ...at(), AttributeNames }));
        return AttributeNames.map((attribute) => Number(Attributes[attribute]));
      },
    };
  };
  return { queue };
}

/** Starts the emulator with its store, without what checks signatures. */
async function start() {
  const store = keptQueues(journal);
  // The type asks for all stores; the emulator makes those that are not given.
  const stores = Object.assign(Object.create(null), { sqsStore: store });
  const app = buildApp({ logger: false, stores });
  await app.listen({ host: '127.0.0.1', port: 0 });
  running.push({
    close: async () => {
      await app.close();
      store.close();
    },
  });
  const [{ port } = { port: 0 }] = app.addresses();
  return { ...callsTo(clientFor(`http://127.0.0.1:${port}`)), store };
}

async function stop() {
  for (const one of running.splice(0)) await one.close();
}

/** Makes a change to the journal of an emulator that does not run, as if time had passed. */
function edit(found: RegExp, replacement: string): void {
  const text = readFileSync(journal, 'utf8');
  expect(text).toMatch(found);
  writeFileSync(journal, text.replace(found, replacement));
}

async function restart() {
  await stop();
  return start();
}

/** Starts it in a process of its own, which can be killed. */
async function startElsewhere() {
  const script = `
    const { startSqsS3 } = await import(${JSON.stringify(emulatorFile)});
    const { clientFor } = await import(${JSON.stringify(clientsFile)});
    const { endpoint } = await startSqsS3({ journal: ${JSON.stringify(journal)} });
    process.stdout.write(JSON.stringify(clientFor(endpoint)));`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line]: Buffer[] = await once(child.stdout, 'data');
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  running.push({ close: async () => void child.kill('SIGKILL') });
  return { ...callsTo(JSON.parse(String(line))), kill };
}

describe('Messages after a SIGKILL of the emulator', () => {
  it('are the same, with their receipts, counts, groups and order', async () => {
    const first = await startElsewhere();
    const jobs = first.queue('jobs.fifo');
    await jobs.create({ ...FIFO, VisibilityTimeout: '600' });
    for (const body of ['a1', 'a2', 'a3']) await jobs.sendTo('a', body);
    for (const body of ['b1', 'b2']) await jobs.sendTo('b', body);
    const before = await jobs.receive();
    expect(before.map(({ Body }) => Body)).toEqual(['a1', 'b1']);
    await jobs.remove(before[0]?.ReceiptHandle);
    const [a2] = await jobs.receive();
    await first.kill();

    const again = (await start()).queue('jobs.fifo');
    await again.create({ ...FIFO, VisibilityTimeout: '600' });
    expect(await again.counts()).toEqual([2, 2, 0]);
    // Both groups are locked by what is in flight.
    expect(await again.receive()).toEqual([]);
    await again.hide(a2?.ReceiptHandle, 0);
    const [returned] = await again.receive();
    expect(returned).toMatchObject({ Body: 'a2', MessageId: a2?.MessageId });
    expect(returned?.Attributes).toEqual({ ...a2?.Attributes, ApproximateReceiveCount: '2' });
    await again.remove(returned?.ReceiptHandle);
    await again.remove(before[1]?.ReceiptHandle);
    expect((await again.receive()).map(({ Body }) => Body)).toEqual(['a3', 'b2']);
    expect((await again.sendTo('a', 'a4')).SequenceNumber).toBe('6'.padStart(20, '0'));
  });
});

describe('Messages after a restart', () => {
  it('come again when their visibility timeout has ended, also while nothing ran', async () => {
    const jobs = (await start()).queue('jobs');
    await jobs.create({ VisibilityTimeout: '600' });
    await jobs.sendAll(['one', 'two']);
    const [one, two] = await jobs.receive();
    await stop();
    edit(/"until":\d+/, `"until":${Date.now()}`);
    const again = (await start()).queue('jobs');
    await again.create({ VisibilityTimeout: '600' });
    const returned = await again.receive();
    expect(returned.map(({ Body }) => Body)).toEqual(['one']);
    expect(returned[0]?.Attributes).toEqual({ ...one?.Attributes, ApproximateReceiveCount: '2' });
    expect(await again.counts()).toEqual([0, 2, 0]);
    await again.remove(two?.ReceiptHandle);
    expect(await again.counts()).toEqual([0, 1, 0]);
  });

  it('keep their attributes, and wait for the end of their delay', async () => {
    const jobs = (await start()).queue('jobs');
    await jobs.create();
    const MessageAttributes = {
      text: { DataType: 'String', StringValue: 'ü\n' },
      bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255]) },
    };
    await jobs.send('now', { MessageAttributes });
    await jobs.send('later', { DelaySeconds: 600 });
    const second = (await restart()).queue('jobs');
    await second.create();
    const [now, ...others] = await second.receive();
    expect(now).toMatchObject({ Body: 'now', MessageAttributes: { text: MessageAttributes.text } });
    expect(Buffer.from(now?.MessageAttributes?.bytes?.BinaryValue ?? []).equals(Buffer.from([0, 255]))).toBe(true);
    expect(others).toEqual([]);
    expect(await second.counts()).toEqual([0, 1, 1]);
    await stop();
    edit(/"delayUntil":\d+/, `"delayUntil":${Date.now()}`);
    const third = (await start()).queue('jobs');
    await third.create();
    expect((await third.receive()).map(({ Body }) => Body)).toEqual(['later']);
  });

  it('are with the failure queue when they were received too often, before and after it', async () => {
    const deadLetterTargetArn = `arn:aws:sqs:us-east-1:${ACCOUNT}:dead`;
    const redrive = {
      VisibilityTimeout: '0',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
    };
    const create = async ({ queue }: Pick<Awaited<ReturnType<typeof start>>, 'queue'>) => {
      await queue('dead').create();
      await queue('jobs').create(redrive);
      return queue('jobs');
    };
    const jobs = await create(await start());
    await jobs.send('early');
    for (let receive = 0; receive < 3; receive += 1) await jobs.receive();
    await jobs.send('late');
    await jobs.receive();
    const second = await restart();
    const again = await create(second);
    expect((await again.receive())[0]).toMatchObject({ Body: 'late', Attributes: { ApproximateReceiveCount: '2' } });
    expect(await again.receive()).toEqual([]);
    const third = await restart();
    await create(third);
    expect((await third.queue('dead').receive()).map(({ Body }) => Body)).toEqual(['early', 'late']);
    expect(await third.queue('jobs').counts()).toEqual([0, 0, 0]);
  });

  it('are not taken a second time with a deduplication id of the last five minutes, also of a deleted message', async () => {
    const jobs = (await start()).queue('jobs.fifo');
    await jobs.create(FIFO);
    const sent = await jobs.sendTo('g', 'one', 'id');
    await jobs.remove((await jobs.receive())[0]?.ReceiptHandle);
    // Once from the record of the message, and once from the journal that was written anew at the start before.
    for (const restarts of [1, 2]) {
      const again = (await restart()).queue('jobs.fifo');
      await again.create(FIFO);
      const { MessageId, SequenceNumber } = await again.sendTo('g', 'two', 'id');
      expect([restarts, MessageId, SequenceNumber]).toEqual([restarts, sent.MessageId, sent.SequenceNumber]);
      expect(await again.receive()).toEqual([]);
    }
    await stop();
    edit(/"at":\d+/, `"at":${Date.now() - 5 * 60_000}`);
    const later = (await start()).queue('jobs.fifo');
    await later.create(FIFO);
    expect((await later.sendTo('g', 'two', 'id')).MessageId).not.toBe(sent.MessageId);
  });

  it('are gone when their queue was purged or deleted, or keeps them no longer', async () => {
    const first = await start();
    for (const name of ['purged', 'deleted', 'short']) {
      await first.queue(name).create();
      await first.queue(name).send(name);
    }
    await first.queue('purged').purge();
    await first.queue('deleted').drop();
    await stop();
    edit(/"sentTimestamp":\d+/g, `"sentTimestamp":${Date.now() - 3_600_000}`);
    const again = await start();
    for (const name of ['purged', 'deleted', 'short']) {
      await again.queue(name).create({ MessageRetentionPeriod: '3599' });
      expect(await again.queue(name).receive()).toEqual([]);
    }
  });

  it('wait for a queue that a start did not create, for as long as a queue may keep them', async () => {
    const jobs = (await start()).queue('jobs.fifo');
    await jobs.create(FIFO);
    await jobs.sendTo('g', 'one');
    await jobs.sendTo('g', 'two');
    await jobs.receive();
    await restart();
    const again = (await restart()).queue('jobs.fifo');
    await again.create(FIFO);
    expect(await again.counts()).toEqual([1, 1, 0]);
    await stop();
    edit(/"(sentTimestamp|at)":\d+/g, `"$1":${Date.now() - 14 * 24 * 3_600_000}`);
    await start();
    expect(readFileSync(journal, 'utf8').split('\n')).toHaveLength(2);
  });

  it('are kept quietly when the clock was a month ahead as they were sent', async () => {
    const first = (await start()).queue('jobs');
    await first.create();
    await first.send('one');
    await stop();
    edit(/"sentTimestamp":\d+/, `"sentTimestamp":${Date.now() + 31 * 24 * 3_600_000}`);
    const warned = vi.spyOn(process, 'emitWarning');
    const again = (await start()).queue('jobs');
    await again.create();
    expect((await again.receive()).map(({ Body }) => Body)).toEqual(['one']);
    expect(warned).not.toHaveBeenCalled();
  });

  it('are visible at once when their receivers are known to be gone, unless these chose when', async () => {
    const create = async ({ queue }: Pick<Awaited<ReturnType<typeof start>>, 'queue'>) => {
      for (const name of ['jobs.fifo', 'other.fifo']) await queue(name).create(FIFO);
    };
    const first = await start();
    await create(first);
    const jobs = first.queue('jobs.fifo');
    for (const group of ['a', 'b']) for (const place of [1, 2]) await jobs.sendTo(group, `${group}${place}`);
    await first.queue('other.fifo').sendTo('c', 'c1');
    const [, b1] = await jobs.receive();
    await first.queue('other.fifo').receive();
    await jobs.hide(b1?.ReceiptHandle, 600);
    const second = await restart();
    await create(second);
    second.store.giveBack(['jobs.fifo', 'unknown']);
    await expect.poll(() => second.queue('jobs.fifo').counts()).toEqual([3, 1, 0]);
    expect((await second.queue('jobs.fifo').receive()).map(({ Body }) => Body)).toEqual(['a1']);
    expect(await second.queue('other.fifo').counts()).toEqual([0, 1, 0]);
    // What this process has received is not given back.
    second.store.giveBack(['jobs.fifo']);
    expect(await second.queue('jobs.fifo').receive()).toEqual([]);
  });
});

describe('Messages that their queue keeps no longer', () => {
  const KEPT = { MessageRetentionPeriod: '3600' };
  const HOUR_MS = 3_600_000;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are gone while it runs, also those that are delayed or in flight, and younger ones stay', async () => {
    const jobs = (await start()).queue('jobs');
    await jobs.create(KEPT);
    await jobs.sendAll(['in flight', 'visible']);
    await jobs.send('delayed', { DelaySeconds: 900 });
    vi.advanceTimersByTime(HOUR_MS - 800_000);
    await jobs.send('delayed too', { DelaySeconds: 900 });
    await jobs.send('young');
    const [received] = await jobs.receive({ MaxNumberOfMessages: 1, VisibilityTimeout: 7200 });
    expect(await jobs.counts()).toEqual([3, 1, 1]);
    vi.advanceTimersByTime(800_000);
    expect(await jobs.counts()).toEqual([1, 0, 1]);
    await jobs.remove(received?.ReceiptHandle);
    await expect(jobs.hide(received?.ReceiptHandle, 0)).rejects.toThrow(/not available for visibility timeout change/);
    vi.advanceTimersByTime(HOUR_MS);
    expect(await jobs.counts()).toEqual([0, 0, 0]);
  });

  it('are not there again after a restart, also when the queue keeps messages longer from then on', async () => {
    const jobs = (await start()).queue('jobs');
    await jobs.create(KEPT);
    await jobs.send('before the restart');
    vi.advanceTimersByTime(HOUR_MS);
    await jobs.send('after the restart');
    const second = (await restart()).queue('jobs');
    vi.advanceTimersByTime(HOUR_MS);
    await second.create(KEPT);
    const third = (await restart()).queue('jobs');
    await third.create({ MessageRetentionPeriod: '72000' });
    expect(await third.counts()).toEqual([0, 0, 0]);
  });

  it('lock their group no longer, and a receiver that waits gets the next one of it', async () => {
    const jobs = (await start()).queue('jobs.fifo');
    await jobs.create({ ...FIFO, ...KEPT });
    for (const body of ['in flight', 'visible']) await jobs.sendTo('g', body);
    await jobs.receive({ VisibilityTimeout: 7200 });
    vi.advanceTimersByTime(HOUR_MS - 1000);
    await jobs.sendTo('g', 'young');
    const waiting = jobs.receive({ WaitTimeSeconds: 20 });
    // A receive that has come later: the first one waits by then.
    expect(await jobs.receive()).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect((await waiting).map(({ Body }) => Body)).toEqual(['young']);
    expect(await jobs.counts()).toEqual([0, 1, 0]);
  });

  it('are gone at once when the queue is set to keep them less long', async () => {
    const { queue, store } = await start();
    await queue('jobs').create(KEPT);
    await queue('jobs').send('old');
    vi.advanceTimersByTime(HOUR_MS / 2);
    store.getQueueByName('jobs')?.setAttributes({ MessageRetentionPeriod: '1800' });
    expect(await queue('jobs').counts()).toEqual([0, 0, 0]);
  });

  it('count from when they were sent, but in the failure queue of a FIFO queue from when they moved', async () => {
    const create = async ({ queue }: Pick<Awaited<ReturnType<typeof start>>, 'queue'>, suffix: string, kind = {}) => {
      const deadLetterTargetArn = `arn:aws:sqs:us-east-1:${ACCOUNT}:dead${suffix}`;
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
      await queue(`dead${suffix}`).create({ ...kind, ...KEPT });
      await queue(`jobs${suffix}`).create({ ...kind, VisibilityTimeout: '0', RedrivePolicy });
    };
    const both = async (emulator: Pick<Awaited<ReturnType<typeof start>>, 'queue'>) => {
      await create(emulator, '');
      await create(emulator, '.fifo', FIFO);
      const counts = (name: string) => emulator.queue(name).counts();
      return { counts: async () => [(await counts('dead'))[0], (await counts('dead.fifo'))[0]] };
    };
    const first = await start();
    const { counts } = await both(first);
    await first.queue('jobs').send('plain');
    await first.queue('jobs.fifo').sendTo('g', 'in order');
    vi.advanceTimersByTime(HOUR_MS / 2);
    for (const name of ['jobs', 'jobs.fifo', 'jobs', 'jobs.fifo']) await first.queue(name).receive();
    expect(await counts()).toEqual([1, 1]);
    vi.advanceTimersByTime(HOUR_MS / 2);
    expect(await counts()).toEqual([0, 1]);
    const again = await both(await restart());
    expect(await again.counts()).toEqual([0, 1]);
    vi.advanceTimersByTime(HOUR_MS / 2);
    expect(await again.counts()).toEqual([0, 0]);
  });
});

describe('The journal of messages', () => {
  it('may end in a torn line, and what is sent later is kept', async () => {
    const first = (await start()).queue('jobs');
    await first.create();
    await first.send('whole');
    await stop();
    appendFileSync(journal, '{"queue":"jobs","did":"sent","mess');
    const second = await start();
    await second.queue('jobs').create();
    await second.queue('jobs').send('after');
    const third = (await restart()).queue('jobs');
    await third.create();
    expect((await third.receive()).map(({ Body }) => Body)).toEqual(['whole', 'after']);
  });

  it('says when the last change was kept, and that nothing was at the first start', async () => {
    const first = await start();
    expect(first.store.keptUntil).toBeNull();
    await first.queue('jobs').create();
    const before = Date.now();
    await first.queue('jobs').send('one');
    const until = (await restart()).store.keptUntil ?? 0;
    expect(until).toBeGreaterThanOrEqual(before - 1000);
    expect(until).toBeLessThanOrEqual(Date.now());
  });

  it.each(['', '\0\0\0', 'garbage\n{}\n'])('that is damaged (%j) is copied', async (text) => {
    writeFileSync(journal, text);
    const { store } = await start();
    expect([store.keptUntil, store.unread]).toEqual([null, `${journal}.unread`]);
    expect(readFileSync(`${journal}.unread`, 'utf8')).toBe(text);
  });

  const damages: readonly [string, (lines: readonly string[]) => readonly string[]][] = [
    ['has lost its first line', (lines) => lines.slice(1)],
    ['has another first line', (lines) => ['\0\0\0', ...lines.slice(1)]],
    ['has a torn line in the middle', (lines) => lines.toSpliced(2, 0, '{"queue":"jobs","did":"se')],
    ['has a line of another program', (lines) => lines.toSpliced(2, 0, 'Killed', '42', 'null', '[]')],
    ['has zeros at its end', (lines) => [...lines.slice(0, -1), '\0\0\0\0']],
    ['has a message without its fields', (lines) => lines.toSpliced(2, 0, '{"queue":"jobs","did":"sent"}')],
    [
      'has a message with other fields',
      (lines) => lines.toSpliced(2, 0, '{"queue":"jobs","did":"kept","message":{"messageId":1,"body":[]}}'),
    ],
    ['has a receipt for nothing', (lines) => lines.toSpliced(2, 0, '{"queue":"jobs","did":"received"}')],
    ['has ids that are none', (lines) => lines.toSpliced(2, 0, '{"queue":"jobs","did":"remembered","duplicates":7}')],
    ['has an unknown record', (lines) => lines.toSpliced(2, 0, '{"queue":"jobs","did":"lost"}')],
  ];
  it.each(damages)('that %s gives back every message that can be read', async (_, damaged) => {
    const first = (await start()).queue('jobs');
    await first.create();
    for (const body of ['one', 'two', 'three']) await first.send(body);
    await stop();
    const text = damaged(readFileSync(journal, 'utf8').split('\n')).join('\n');
    writeFileSync(journal, text);
    const { queue, store } = await start();
    await queue('jobs').create();
    expect((await queue('jobs').receive()).map(({ Body }) => Body)).toEqual(['one', 'two', 'three']);
    expect([store.keptUntil, store.unread]).toEqual([null, `${journal}.unread`]);
    expect(readFileSync(`${journal}.unread`, 'utf8')).toBe(text);
  });

  it('that is damaged twice leaves two copies', async () => {
    for (const text of ['one', 'two']) {
      writeFileSync(journal, text);
      await restart();
      await stop();
    }
    expect(readFileSync(`${journal}.unread`, 'utf8')).toBe('one');
    expect(readFileSync(`${journal}.unread-2`, 'utf8')).toBe('two');
  });

  it('that cannot be read at all ends the start with its path', async () => {
    mkdirSync(journal);
    await expect(startEmulators({ dataDir: folder })).rejects.toThrow(
      `The messages of the queues cannot be kept in ${journal} (EISDIR): check the file and its folder, and start again.`,
    );
  });

  it('of another version is copied and not read, and the start says so', async () => {
    const first = (await start()).queue('jobs');
    await first.create();
    await first.send('one');
    await stop();
    edit(/"version":1/, '"version":2');
    const warnings: string[] = [];
    const emulators = await startEmulators({ dataDir: folder, warn: (sentence) => warnings.push(sentence) });
    running.push(emulators);
    expect(emulators.messagesKeptUntil).toBeNull();
    expect(warnings.filter((one) => one.includes(`${journal}.unread`))).toEqual([
      `Not all messages of the queues can be read, because their file is damaged or of another version; a copy of it is ${journal}.unread.`,
    ]);
    expect(readFileSync(journal, 'utf8')).toBe('{"journal":"queues","version":1}\n');
  });

  it('does not grow with what is deleted, and only its owner can read it', async () => {
    const jobs = (await start()).queue('jobs');
    await jobs.create();
    await jobs.send('kept');
    const large = 'x'.repeat(1_000_000);
    for (let round = 0; round < 10; round += 1) {
      await jobs.send(large);
      for (const { Body, ReceiptHandle } of await jobs.receive({ VisibilityTimeout: 0 })) {
        if (Body === large) await jobs.remove(ReceiptHandle);
      }
    }
    expect(statSync(journal).size).toBeLessThan(8_000_000);
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    expect(existsSync(`${journal}.part`)).toBe(false);
    const again = (await restart()).queue('jobs');
    await again.create();
    expect((await again.receive()).map(({ Body }) => Body)).toEqual(['kept']);
  });

  // A file system of its own, which only root can make.
  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'on a full disk refuses what is sent and goes on with the rest, and makes up for it when there is space',
    async () => {
      const disk = mkdtempSync(join(tmpdir(), 'kept-queues-disk-'));
      const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
      // In a container without the right to mount there is nothing to fill.
      if (status !== 0) return rmSync(disk, { recursive: true });
      try {
        journal = join(disk, 'messages.jsonl');
        const jobs = (await start()).queue('jobs.fifo');
        await jobs.create(FIFO);
        await jobs.sendTo('g', 'one');
        const filler = join(disk, 'filler');
        spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k']);
        const large = 'x'.repeat(8192);
        await expect(jobs.sendTo('g', large, 'two')).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
        const [one] = await jobs.receive();
        expect(one?.Body).toBe('one');
        await jobs.remove(one?.ReceiptHandle);
        expect(await jobs.receive()).toEqual([]);
        rmSync(filler);
        await jobs.sendTo('g', 'two', 'two');
        const again = (await restart()).queue('jobs.fifo');
        await again.create(FIFO);
        expect((await again.receive()).map(({ Body }) => Body)).toEqual(['two']);
      } finally {
        await stop();
        spawnSync('umount', [disk]);
        rmSync(disk, { recursive: true });
      }
    },
  );
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../../../../../functions/adapters/stores/sqlite/connection.ts';
import { Writer } from '../../../../../../functions/adapters/stores/sqlite/writer.ts';
import type { Change } from '../../../../../../functions/core/ports/log.ts';
import { entry } from '../../../../../support/entries.ts';

describe('writing in groups', () => {
  let connection: Connection;
  let writer: Writer;
  let commits: readonly (readonly number[])[];
  beforeEach(() => {
    connection = new Connection(':memory:');
    connection.exec('CREATE TABLE written (n INTEGER PRIMARY KEY, text TEXT)');
    writer = new Writer(connection);
    const heard: (readonly number[])[] = [];
    commits = heard;
    writer.onCommit((changes) => heard.push(changes.map(({ seq }) => seq)));
    // Its pauses pass when a test says so: a busy machine may take longer for two writes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const insert = (n: number, text: string) => (publish: (change: Change) => void) => {
    connection.run('INSERT INTO written (n, text) VALUES (?, ?)', n, text);
    publish(entry({ seq: n }));
    return n;
  };
  const write = (n: number, text = '') => writer.run(insert(n, text));
  const note = (n: number) => writer.note(insert(n, ''));
  const written = () => connection.all<{ n: number }>('SELECT n FROM written ORDER BY n').map(({ n }) => n);
  const outcomes = async (writes: readonly Promise<number>[]) =>
    (await Promise.allSettled(writes)).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'));
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('makes one transaction of what waits in one turn of the event loop', async () => {
    const run = vi.spyOn(connection, 'run');
    const two = [write(1), write(2)];
    await Promise.resolve();
    expect(written()).toEqual([]);
    expect(await Promise.all([...two, write(3)])).toEqual([1, 2, 3]);
    expect(run.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(1);
    await turn();
    expect(commits).toEqual([[1, 2, 3]]);
  });

  it('makes several of many, or of large ones, in their order', async () => {
    const run = vi.spyOn(connection, 'run');
    await Promise.all(Array.from({ length: 300 }, (_, n) => write(n)));
    await Promise.all([1, 2, 3].map((n) => writer.run(() => n, 5 * 1024 * 1024)));
    expect(run.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(5 + 3);
    await turn();
    expect(commits.flat()).toEqual(Array.from({ length: 300 }, (_, n) => n));
  });

  it('has answered those who wrote before it calls the listeners, and calls none that has ended', async () => {
    const order: string[] = [];
    const end = writer.onCommit(() => order.push('listener'));
    const answered = async () => {
      await write(1);
      await Promise.resolve();
      order.push('answer');
    };
    await answered();
    await turn();
    expect(order).toEqual(['answer', 'listener']);
    end();
    await write(2);
    await turn();
    expect(order).toHaveLength(2);
  });

  it('answers what is on the disk, and writes what comes during an fsync together after it', async () => {
    const synced: (() => void)[] = [];
    vi.spyOn(connection, 'sync').mockImplementation(() => new Promise((resolve) => synced.push(resolve)));
    const answered: number[] = [];
    const answering = (n: number) => write(n).then(() => answered.push(n));
    const all = [answering(1)];
    await turn();
    all.push(answering(2));
    await turn();
    all.push(answering(3));
    await turn();
    expect([written(), answered, commits]).toEqual([[1], [], []]);
    synced[0]?.();
    await turn();
    await turn();
    expect([written(), synced.length, answered, commits]).toEqual([[1, 2, 3], 2, [1], [[1]]]);
    synced[1]?.();
    await Promise.all(all);
    await turn();
    expect([synced.length, answered, commits]).toEqual([2, [1, 2, 3], [[1], [2, 3]]]);
  });

  it('rejects what the disk does not take, and tells of it after the next fsync', async () => {
    const sync = vi.spyOn(connection, 'sync').mockRejectedValueOnce(new Error('the disk failed'));
    await expect(write(1)).rejects.toMatchObject({ name: 'UnconfirmedWrite', message: 'the disk failed', result: 1 });
    await turn();
    expect(commits).toEqual([]);
    expect(await write(2)).toBe(2);
    await turn();
    expect(commits).toEqual([[1, 2]]);
    sync.mockRejectedValueOnce(new Error('the disk failed'));
    await note(3);
    await writer.close();
    expect(commits).toEqual([[1, 2]]);
  });

  it('says of a write that has failed itself what failed, also when the disk does not take the others', async () => {
    vi.spyOn(connection, 'sync').mockRejectedValueOnce(new Error('the disk failed'));
    const refused = writer.run(() => {
      throw new Error('refused');
    });
    const [one, other] = await Promise.allSettled([write(1), refused]);
    expect([one, other]).toMatchObject([
      { reason: { message: 'the disk failed' } },
      { reason: { message: 'refused' } },
    ]);
  });

  it('does not wait for an fsync of what the next start does again, and tells of it after one', async () => {
    const synced: (() => void)[] = [];
    vi.spyOn(connection, 'sync').mockImplementation(() => new Promise((resolve) => synced.push(resolve)));
    expect(await note(1)).toBe(1);
    expect([written(), synced.length, commits]).toEqual([[1], 0, []]);
    vi.runAllTimers();
    expect([synced.length, commits]).toEqual([1, []]);
    synced[0]?.();
    await turn();
    await turn();
    expect(commits).toEqual([[1]]);
  });

  it('tells of changes in their order, whether their fsync is waited for or not', async () => {
    const sync = vi.spyOn(connection, 'sync');
    await note(1);
    await Promise.all([note(2), write(3), note(4)]);
    await turn();
    expect([commits, sync.mock.calls.length]).toEqual([[[1, 2, 3, 4]], 1]);
    await note(5);
    await writer.close();
    expect(commits).toEqual([[1, 2, 3, 4], [5]]);
  });

  it('moves transactions to the database when nothing is written, and in between when they are many', async () => {
    const checkpoint = vi.spyOn(connection, 'checkpoint');
    const megabytes = (count: number) => writer.run(() => {}, count * 1024 * 1024);
    for (const part of [6, 6, 6]) await megabytes(part);
    expect(checkpoint).not.toHaveBeenCalled();
    await megabytes(7);
    expect(checkpoint).toHaveBeenCalledOnce();
    await megabytes(7);
    expect(checkpoint).toHaveBeenCalledOnce();
    vi.runAllTimers();
    expect(checkpoint).toHaveBeenCalledTimes(2);
  });

  it('moves a single small transaction too, when nothing follows it', async () => {
    const checkpoint = vi.spyOn(connection, 'checkpoint');
    await write(1);
    vi.advanceTimersByTime(900);
    await write(2);
    vi.advanceTimersByTime(900);
    expect(checkpoint).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(checkpoint).toHaveBeenCalledOnce();
  });

  it('rejects a write that fails, writes nothing of it, and writes the others', async () => {
    const failing = writer.run((publish) => {
      connection.run('INSERT INTO written (n) VALUES (7)');
      publish(entry({ seq: 7 }));
      throw new Error('refused');
    });
    expect(await outcomes([write(1), failing, write(1), write(2)])).toEqual([1, 'failed', 'failed', 2]);
    await expect(failing).rejects.toThrow('refused');
    expect(written()).toEqual([1, 2]);
    await turn();
    expect(commits).toEqual([[1, 2]]);
  });

  it('writes the others although the disk was full for one, which ends the transaction of the database', async () => {
    const { page_count } = connection.get<{ page_count: number }>('PRAGMA page_count') ?? { page_count: 0 };
    connection.exec(`PRAGMA max_page_count = ${page_count + 2}`);
    const large = write(2, 'x'.repeat(100_000));
    expect(await outcomes([write(1), large, write(3)])).toEqual([1, 'failed', 3]);
    await expect(large).rejects.toThrow('The disk of :memory: is full: free some space on it.');
    expect(written()).toEqual([1, 3]);
    connection.exec(`PRAGMA max_page_count = ${page_count + 100}`);
    expect(await write(2, 'x'.repeat(100_000))).toBe(2);
  });

  it('rejects all of a group whose commit fails, and shows nothing of it', async () => {
    const run = connection.run.bind(connection);
    const failing = vi.spyOn(connection, 'run').mockImplementation((sql, ...values) => {
      if (sql === 'COMMIT') throw new Error('no space');
      return run(sql, ...values);
    });
    expect(await outcomes([write(1), write(2)])).toEqual(['failed', 'failed']);
    expect(written()).toEqual([]);
    failing.mockRestore();
    expect(await outcomes([write(1)])).toEqual([1]);
    await turn();
    expect(commits).toEqual([[1]]);
  });

  it('writes what waits when it is closed, and nothing after that', async () => {
    const last = write(1);
    await writer.close();
    expect(await last).toBe(1);
    expect(commits).toEqual([[1]]);
    await expect(write(2)).rejects.toThrow('The database is closed.');
  });
});

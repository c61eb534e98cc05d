import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { readPayload } from '../../../../../functions/core/payload/payload.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import { fixture, fixtures, recognise } from '../../../../support/senders/sender-call.ts';

describe('a large body', () => {
  /** The body of a call; null when it is refused before any sender is asked. */
  function parsed(raw: Uint8Array): unknown {
    try {
      return readPayload(raw, undefined).body;
    } catch {
      return null;
    }
  }

  function read(hook: HookCall): void {
    try {
      recognise(hook).read(hook);
    } catch (error) {
      expect(error).toBeInstanceOf(DeployError);
    }
  }

  /**
   * CPU time of some work in milliseconds: the least of several runs, as others disturb the cache and the collector.
   */
  function cpuTimeOf(work: () => void, runs = 3): number {
    const times = Array.from({ length: runs }, () => {
      const start = process.cpuUsage();
      work();
      return process.cpuUsage(start).user / 1000;
    });
    return Math.min(...times);
  }

  const names = fixtures().flatMap((folder) => folder.names);

  // Quadratic work on a megabyte takes minutes; linear work a few times as long as parsing the JSON.
  it('with a megabyte in one field is read in at most 100 times the parsing time of its JSON', () => {
    const pieces = [
      'a',
      '/',
      'a/',
      '.',
      '\n',
      ' ',
      '[skip ',
      '\r\n',
      'refs/',
      '0',
      'f',
      '<',
      ':',
      '@',
      '://',
      '-',
      '\u202e',
    ];
    const long = fc.constantFrom(...pieces).map((piece) => piece.repeat(1_000_000 / piece.length));
    const many = fc.constantFrom(null, {}, 'a', { id: 'a' }).map((one) => Array.from({ length: 100_000 }, () => one));
    const replaced = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.oneof(long, many), fc.boolean());
    fc.assert(
      fc.property(replaced, ([name, at, other, deep]) => {
        const hook = fixture(name);
        const raw = new TextEncoder().encode(JSON.stringify(withField(hook.body, at, other, deep)));
        const headers = definedHeaders(hook);
        const body = parsed(raw);
        if (body === null) return;
        const text = new TextDecoder().decode(raw);
        const limitMs =
          100 *
          Math.max(
            1,
            cpuTimeOf(() => void JSON.parse(text)),
          );
        const once = cpuTimeOf(() => read({ headers, query: {}, raw, body }), 1);
        const timeMs = once < limitMs ? once : cpuTimeOf(() => read({ headers, query: {}, raw, body }));
        expect(timeMs, name).toBeLessThan(limitMs);
      }),
      { numRuns: 50 },
    );
  }, 90_000);

  it('is read quickly with five megabytes of commits', () => {
    const [commit] = Object.values(fixture('github/push').body ?? {}).flatMap((field) =>
      Array.isArray(field) ? field : [],
    );
    const commits = Array.from({ length: 2048 }, () => ({ ...commit, message: 'x'.repeat(2000) }));
    const { headers, raw } = fixture('github/push', { commits });
    expect(raw.byteLength).toBeGreaterThan(4_500_000);
    const start = process.cpuUsage();
    const hook = { headers, query: {}, raw, body: readPayload(raw, undefined).body };
    expect(recognise(hook).read(hook)).toMatchObject([{ kind: 'push', branch: 'main' }]);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(500);
  });

  /** The body with one of its fields, or one of a field's fields, replaced. */
  function withField(body: unknown, at: number, other: unknown, deep: boolean): unknown {
    const fields = Object.entries(body ?? {});
    const objects = fields.filter(([, inner]) => typeof inner === 'object' && inner !== null && !Array.isArray(inner));
    const [key, inner] = (deep ? objects : fields)[at % (deep ? objects : fields).length] ?? ['x', null];
    return { ...Object.fromEntries(fields), [key]: deep ? withField(inner, at >> 4, other, false) : other };
  }

  function definedHeaders({ headers }: HookCall): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
    );
  }
});

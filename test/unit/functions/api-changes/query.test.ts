import { describe, expect, it } from 'vitest';
import { readChangesQuery } from '../../../../functions/api-changes/query.ts';

const read = (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  readChangesQuery({ query, headers });

describe('the query of GET /1/status/<user>/changes', () => {
  it('is a continuous stream of future changes by default', () => {
    expect(read()).toEqual({
      since: 'now',
      mode: 'continuous',
      docs: 'false',
      heartbeatMs: 15_000,
      limit: Number.POSITIVE_INFINITY,
      app: null,
      events: false,
    });
  });

  it.each([
    ['since', '-1'],
    ['since', '1.5'],
    ['since', ''],
    ['since', '9999999999999'],
    ['feed', 'eventsource'],
    ['feed', ''],
    ['heartbeat', '9'],
    ['heartbeat', 'true'],
    ['limit', '0'],
    ['limit', '-5'],
    ['include_docs', 'yes'],
  ])('is refused, naming the parameter, when %s is %j', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(expect.objectContaining({ code: 'request:bad_parameter' }));
    expect(() => read({ [name]: value })).toThrow(name);
  });

  it('uses Last-Event-ID instead of since, and names that header when it is malformed', () => {
    expect(read({ since: '3' }, { 'last-event-id': '7' }).since).toBe(7);
    expect(read({ since: '3' }, { 'last-event-id': '' }).since).toBe(3);
    expect(() => read({}, { 'last-event-id': 'x' })).toThrow('Last-Event-ID');
  });

  it('limits the heartbeat to less than the gateway’s idle timeout', () => {
    expect(read({ heartbeat: '86400000' }).heartbeatMs).toBe(240_000);
  });

  it.each([
    ['text/event-stream', true],
    ['text/html, Text/Event-Stream;q=0.9', true],
    ['text/event-stream;q=0, */*', false],
    ['*/*', false],
    ['application/x-ndjson', false],
  ])('with the header Accept: %s, selects server-sent events: %s', (accept, events) => {
    expect(read({}, { accept }).events).toBe(events);
  });
});

import { describe, expect, it } from 'vitest';
import { httpAppEvents } from '../../../../../../functions/adapters/platform/http/applications.ts';
import { apiServer, type Reply } from '../../../../../support/api-server.ts';

const serviceToken = 'service-token-of-the-tests';
const event = { seq: 4, at: '2026-01-01T00:00:00Z', user: 'ann', app: 'shop', snapshot: '1.0.0-7', state: 'crashed' };

async function after(seq: number, reply: Reply) {
  const api = await apiServer(reply);
  const page = await httpAppEvents({ url: api.url, serviceToken }).after(seq);
  return { page, received: api.received };
}

describe('the events of applications', () => {
  it('are those after a number, asked for with the service token', async () => {
    const body = { events: [{ ...event, reason: 'It crashed.', log: ['boom'] }], last: 4 };
    const { page, received } = await after(3, { status: 200, body });
    const read = { seq: 4, user: 'ann', app: 'shop', snapshot: '1.0.0-7', state: 'crashed' };
    expect(page).toEqual({ events: [{ ...read, reason: 'It crashed.', log: ['boom'] }], last: 4 });
    expect(received[0]).toMatchObject({ method: 'GET', url: '/events?since=3' });
    const login = Buffer.from(received[0]?.headers.authorization?.slice(6) ?? '', 'base64').toString();
    expect(login.endsWith(`:${serviceToken}`)).toBe(true);
  });

  it('are none on a platform that does not know them', async () => {
    expect((await after(3, { status: 404 })).page).toEqual({ events: [], last: 3 });
  });

  it.each([{}, { ...event, state: 'paused' }, { ...event, seq: 'x' }, { ...event, app: 1 }, null])(
    'leave out what is not understood: %j',
    async (one) => {
      const { page } = await after(0, { status: 200, body: { events: [one, event], last: 4 } });
      expect(page.events.map(({ seq }) => seq)).toEqual([4]);
    },
  );

  it('are a failure that can be repeated when the platform does not answer', async () => {
    await expect(after(0, { status: 503 })).rejects.toMatchObject({ code: 'request:failed', retry: true });
  });
});

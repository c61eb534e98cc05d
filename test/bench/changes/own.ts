import * as v from 'valibot';
import { bodyOf } from '../../support/body-of.ts';
import { pushes } from '../pushes.ts';
import { basic, startService } from '../service.ts';
import { getRequest, type MeasuredFeed } from './feed.ts';

const USER = 'user-1';

/** Starts the service. A row is written by a push of 12 kB to the webhook, whose stages write further ones. */
export async function ownFeed(): Promise<MeasuredFeed> {
  const service = await startService('changes-service', 1);
  const aim = pushes(service, 1);
  return {
    port: Number(new URL(service.url).port),
    pid: service.pid,
    fresh: async () => ({
      request: getRequest(
        `${service.url}/1/status/${USER}/changes?since=now&include_docs=true`,
        basic(USER, service.password),
      ),
      write: async () => {
        const { url, ...message } = aim(0);
        const answer = await fetch(url, { method: 'POST', ...message });
        return (await bodyOf(answer, { id: v.string() })).id;
      },
    }),
    close: service.close,
  };
}

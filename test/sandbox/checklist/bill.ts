import { costOfIdleDay } from '../expected-cost.ts';
import { dayOf, type Usage } from '../usage.ts';
import { type Deployed, type Item, NotNow, within } from './item.ts';

const DAY_MS = 24 * 3_600_000;
/** Each asks three times a minute: a poller of six queues, and the five that a limit of the stage makes of five of them. */
const POLLS_A_DAY = DAY_MS / 20_000;
const POLLERS = [2 * 6, 5 * 5 + 2] as const;

export const pollers: Item = {
  title: 'The queues are polled as little as is predicted',
  expected: 'by 12 to 27 pollers, a tenth more with deploys; a day after the stack was created',
  answer: async (deployed) => {
    const polls = (await onLastWholeDay(deployed))
      .filter(({ service, type }) => service === 'Amazon Simple Queue Service' && /Requests/.test(type))
      .reduce((sum, { quantity }) => sum + quantity, 0);
    const pollers = polls / POLLS_A_DAY;
    const [least, most] = POLLERS;
    return within(pollers, [0.9 * least, 1.1 * most], `${pollers.toFixed(1)} pollers; predicted: ${least} or ${most}`);
  },
};

export const firstBill: Item = {
  title: 'The first bill is what is predicted',
  expected:
    'a day costs within half and double of the table of costs, with 0.10 dollars for deploys; a day after the stack was created, in an account with nothing else',
  answer: async (deployed) => {
    const used = (await onLastWholeDay(deployed)).filter(({ dollars }) => dollars >= 0.0001);
    const dollars = used.reduce((sum, one) => sum + one.dollars, 0);
    const predicted = costOfIdleDay();
    const parts = used.map((one) => `${one.service}, ${one.type}: ${one.dollars.toFixed(4)}`).join('; ');
    const words = `${dollars.toFixed(3)} dollars (${parts}); predicted without deploys: ${predicted.toFixed(3)}`;
    return within(dollars, [predicted / 2, predicted * 2 + 0.1], words);
  },
};

/** Returns what the account used on the last whole day of which Cost Explorer knows all; it is up to a day late. */
export async function onLastWholeDay({ created, now, usage }: Deployed): Promise<readonly Usage[]> {
  const today = Date.parse(dayOf(now()));
  const day = today - DAY_MS;
  const firstWholeDay = Date.parse(dayOf(created)) + DAY_MS;
  if (day >= firstWholeDay) return usage(dayOf(day));
  throw new NotNow(`Run this again from ${dayOf(firstWholeDay + DAY_MS)} on, while the stack stands.`);
}

import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as v from 'valibot';

/** What a service was used for on one day, and its price. */
export interface Usage {
  /** `AWS CodeBuild` */
  readonly service: string;
  /** `USE1-Requests-FIFO-Tier1` */
  readonly type: string;
  readonly dollars: number;
  readonly quantity: number;
}

const amount = v.object({ Amount: v.pipe(v.string(), v.transform(Number)) });
const Answer = v.object({
  ResultsByTime: v.array(
    v.object({
      Groups: v.array(
        v.object({
          Keys: v.tuple([v.string(), v.string()]),
          Metrics: v.object({ UnblendedCost: amount, UsageQuantity: amount }),
        }),
      ),
    }),
  ),
  NextPageToken: v.optional(v.string()),
});

const COST_EXPLORER = 'https://ce.us-east-1.amazonaws.com';
const DAY_MS = 24 * 3_600_000;

/**
 * Returns what the account used on a day (`2026-11-26`, UTC). Each call costs a cent. An account shows nothing until a
 * day after somebody has opened Cost Explorer in the console.
 *
 * @see https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_GetCostAndUsage.html
 */
export async function usageOn(
  day: string,
  credentials: ConstructorParameters<typeof SignatureV4>[0]['credentials'],
  endpoint = COST_EXPLORER,
): Promise<readonly Usage[]> {
  const signer = new SignatureV4({ service: 'ce', region: 'us-east-1', credentials, sha256: Sha256 });
  const { protocol, host, hostname } = new URL(endpoint);
  const all: Usage[] = [];
  let token: string | undefined;
  do {
    const body = JSON.stringify({
      TimePeriod: { Start: day, End: dayOf(Date.parse(day) + DAY_MS) },
      Granularity: 'DAILY',
      Metrics: ['UnblendedCost', 'UsageQuantity'],
      GroupBy: ['SERVICE', 'USAGE_TYPE'].map((Key) => ({ Type: 'DIMENSION', Key })),
      NextPageToken: token,
    });
    const headers = {
      host,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSInsightsIndexService.GetCostAndUsage',
    };
    const signed = await signer.sign({ method: 'POST', protocol, hostname, path: '/', headers, body });
    const response = await fetch(endpoint, { method: 'POST', headers: signed.headers, body });
    if (!response.ok) throw new Error(`Cost Explorer answered ${response.status}: ${await response.text()}`);
    const { ResultsByTime, NextPageToken } = v.parse(Answer, await response.json());
    for (const { Keys, Metrics } of ResultsByTime.flatMap(({ Groups }) => Groups)) {
      const [service, type] = Keys;
      const { UnblendedCost, UsageQuantity } = Metrics;
      all.push({ service, type, dollars: UnblendedCost.Amount, quantity: UsageQuantity.Amount });
    }
    token = NextPageToken;
  } while (token);
  return all;
}

/** Returns the day of a time, in UTC. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { connectLogin } from '../adapters/platform/platforms.ts';
import { presign } from '../adapters/signals/presign.ts';
import { webSocketSignals } from '../adapters/signals/websocket.ts';
import { streamLimits } from '../adapters/stores/dynamodb/limits/stream-limits.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { Feeds } from '../core/feed/feeds.ts';
import type { ChangesPorts } from './ports.ts';

/**
 * Returns the ports of streaming, from the function's environment. Signals come from the WebSocket API at
 * `SIGNALS_URL`.
 */
export async function connect(
  trace: ChangesPorts['trace'],
): Promise<ChangesPorts & { readonly publicUrl: string | null }> {
  const system = { clock: systemClock, ids: systemIds };
  const table = { ...system, client: dynamoDb(), table: variable('LOG_TABLE') };
  const log = dynamoDbReader(table);
  const signalsUrl = variable('SIGNALS_URL');
  // The DynamoDB client resolves the credentials and renews them.
  const { credentials, region, sha256 } = table.client.config;
  const signals = webSocketSignals({
    trace,
    address: (user) => presign(signalsUrl, { user }, { credentials, region, sha256 }),
  });
  return {
    log,
    accounts: await connectLogin(),
    feeds: new Feeds({ log, signals, clock: systemClock }),
    clock: systemClock,
    ...streamLimits(system),
    trace,
    publicUrl: publicUrl(),
  };
}

import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { presign } from '../adapters/signals/presign.ts';
import { webSocketSignals } from '../adapters/signals/websocket.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { Feeds } from '../core/feed/feeds.ts';
import { logTable, streamLimits } from '../triggers/aws-ports.ts';
import { storedUsers } from '../triggers/login/user-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { trace } from '../triggers/trace.ts';
import { changes } from './changes.ts';

const table = logTable();
const log = dynamoDbReader(table);
const signalsUrl = variable('SIGNALS_URL');
// The DynamoDB client resolves the credentials and renews them.
const { credentials, region, sha256 } = table.client.config;
const signals = webSocketSignals({
  trace,
  address: (user) => presign(signalsUrl, { user }, { credentials, region, sha256 }),
});
const feeds = new Feeds({ log, signals, clock: systemClock });
const { accounts } = storedUsers();

export const handler = streamTrigger(changes({ log, feeds, ...streamLimits(accounts) }), publicUrl());

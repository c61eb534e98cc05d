import type { ChangesPorts } from '../../api-changes/ports.ts';
import { Feeds } from '../../core/feed/feeds.ts';
import { presign } from '../signals/presign.ts';
import { webSocketSignals } from '../signals/websocket.ts';
import { dynamoDbReader } from '../stores/dynamodb/reader.ts';
import { systemPause } from '../system/pause.ts';
import { systemClock } from '../system/system.ts';
import { numberVariable, variable } from './environment.ts';
import { connectTable } from './table.ts';

type Trace = ChangesPorts['trace'];

/** What streaming changes needs, with `CHANGES_SECONDS` and `SIGNALS_URL`, the socket that signals come through. */
export function connectChanges(trace: Trace): ChangesPorts {
  const table = connectTable();
  const log = dynamoDbReader(table);
  const url = variable('SIGNALS_URL');
  // The database's client knows them already, and renews them.
  const { credentials, region } = table.client.config;
  const signals = webSocketSignals({ trace, address: (user) => presign(url, { user }, { credentials, region }) });
  return {
    log,
    feeds: new Feeds({ log, signals, clock: systemClock }),
    clock: systemClock,
    pause: systemPause,
    seconds: numberVariable('CHANGES_SECONDS'),
    trace,
  };
}

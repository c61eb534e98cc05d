import { variable } from '../adapters/aws/environment.ts';
import { postToConnection, webSocketApi } from '../adapters/signals/post-to-connection.ts';
import { connections } from '../triggers/aws-ports.ts';
import { logStreamTrigger } from '../triggers/log-stream.ts';
import { signal } from './signal.ts';

const post = postToConnection({
  internal: webSocketApi(variable('INTERNAL_POST')),
  public: webSocketApi(variable('PUBLIC_POST')),
});

export const handler = logStreamTrigger(signal({ connections: connections(), post }));

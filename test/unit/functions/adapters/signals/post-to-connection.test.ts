import {
  ApiGatewayManagementApiClient,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { postToConnection } from '../../../../../functions/adapters/signals/post-to-connection.ts';

function world() {
  const clients = {
    internal: new ApiGatewayManagementApiClient({ endpoint: 'http://127.0.0.1:1', region: 'us-east-1' }),
    public: new ApiGatewayManagementApiClient({ endpoint: 'http://127.0.0.1:2', region: 'us-east-1' }),
  };
  return {
    internal: mockClient(clients.internal),
    public: mockClient(clients.public),
    post: postToConnection(clients),
  };
}

describe('posting to a connection', () => {
  it('uses the WebSocket API of the connection', async () => {
    const { internal, public: other, post } = world();
    expect(await post({ id: 'c1=', side: 'internal' }, '{"last":1}')).toBe(true);
    expect(internal.commandCalls(PostToConnectionCommand)).toHaveLength(1);
    expect(internal.commandCalls(PostToConnectionCommand)[0]?.args[0].input).toEqual({
      ConnectionId: 'c1=',
      Data: Buffer.from('{"last":1}'),
    });
    expect(other.calls()).toEqual([]);
  });

  it('returns false when the connection is closed', async () => {
    const { public: client, post } = world();
    client.on(PostToConnectionCommand).rejects(new GoneException({ message: 'gone', $metadata: {} }));
    expect(await post({ id: 'c1=', side: 'public' }, 'x')).toBe(false);
  });

  it('throws when it fails for another reason, so that a throttled connection is not removed', async () => {
    const { public: client, post } = world();
    client.on(PostToConnectionCommand).rejects(new Error('LimitExceededException'));
    await expect(post({ id: 'c1=', side: 'public' }, 'x')).rejects.toThrow('LimitExceeded');
  });
});

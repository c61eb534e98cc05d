import {
  ApiGatewayManagementApiClient,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { gatewayPosting } from '../../../../../functions/adapters/signals/post.ts';

function world() {
  const clients = {
    inside: new ApiGatewayManagementApiClient({ endpoint: 'http://127.0.0.1:1', region: 'us-east-1' }),
    outside: new ApiGatewayManagementApiClient({ endpoint: 'http://127.0.0.1:2', region: 'us-east-1' }),
  };
  return {
    inside: mockClient(clients.inside),
    outside: mockClient(clients.outside),
    posting: gatewayPosting(clients),
  };
}

describe('posting to a connection', () => {
  it('goes through the socket that the connection came through', async () => {
    const { inside, outside, posting } = world();
    expect(await posting.post({ id: 'c1=', side: 'inside' }, '{"last":1}')).toBe(true);
    expect(inside.commandCalls(PostToConnectionCommand)).toHaveLength(1);
    expect(inside.commandCalls(PostToConnectionCommand)[0]?.args[0].input).toEqual({
      ConnectionId: 'c1=',
      Data: Buffer.from('{"last":1}'),
    });
    expect(outside.calls()).toEqual([]);
  });

  it('tells when the connection is gone', async () => {
    const { outside, posting } = world();
    outside.on(PostToConnectionCommand).rejects(new GoneException({ message: 'gone', $metadata: {} }));
    expect(await posting.post({ id: 'c1=', side: 'outside' }, 'x')).toBe(false);
  });

  it('throws when it failed for another reason, so that nobody is forgotten for a throttle', async () => {
    const { outside, posting } = world();
    outside.on(PostToConnectionCommand).rejects(new Error('LimitExceededException'));
    await expect(posting.post({ id: 'c1=', side: 'outside' }, 'x')).rejects.toThrow('LimitExceeded');
  });
});

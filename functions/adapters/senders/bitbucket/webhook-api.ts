import * as v from 'valibot';
import { basicHeader } from '../../../core/basic-auth.ts';
import { type WebhookApi, webhooksIn } from '../webhook-api.ts';

const bitbucketWebhook = v.pipe(
  v.object({ uuid: v.string(), url: v.string(), active: v.boolean(), events: v.array(v.string()) }),
  v.transform(({ uuid: id, ...rest }) => ({ id, ...rest })),
);
const page = v.object({ values: v.array(v.unknown()) });

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories/ */
export const bitbucketWebhookApi: WebhookApi = {
  api: 'https://api.bitbucket.org/2.0',
  // An API token is given with its e-mail address, `email:token`; an access token has none.
  login: (token) => ({
    authorization: token.includes(':') ? basicHeader(token) : `Bearer ${token}`,
  }),
  path: (repository) => `repositories/${repository}/hooks`,
  body: ({ url }) => ({ description: 'deployment-webhooks', url, active: true, events: ['repo:push'] }),
  read(response) {
    const result = v.safeParse(page, response);
    return webhooksIn(bitbucketWebhook, result.success ? result.output.values : response);
  },
};

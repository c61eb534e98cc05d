import { defineSender } from '../define-sender.ts';

/**
 * Jenkins Pipeline, whose jobs have no Git variables that the notification plugin could send
 * (https://github.com/jenkinsci/notification-plugin/blob/master/src/main/java/com/tikal/hudson/plugins/notification/Phase.java):
 * the Jenkinsfile makes the same call itself. A declarative pipeline has these variables after its checkout
 * (https://plugins.jenkins.io/git/#plugin-content-environment-variables).
 */
export const jenkinsPipeline = defineSender({
  id: 'jenkins-pipeline',
  name: 'Jenkins Pipeline',
  sends: 'builds',
  recognisedAs: 'jenkins',
  tested: { with: 'its set-up, run by a shell', how: ['read'] },
  setup: ({ plainUrl, user, secret }) => ({
    where: 'Jenkinsfile of the repository, a declarative pipeline, after its stages',
    language: 'groovy',
    lines: [
      'post {',
      '  always {',
      "    withCredentials([usernameColonPassword(credentialsId: 'deployment-webhooks', variable: 'LOGIN')]) {",
      "      withEnv(['RESULT=' + currentBuild.currentResult]) {",
      "        sh '''",
      `          format='{"name":"%s","build":{"phase":"FINALIZED","number":%s,"full_url":"%s","status":"%s",'`,
      `          format=$format'"scm":{"url":"%s","branch":"%s","commit":"%s"}}}'`,
      '          set -- "$JOB_NAME" "$BUILD_NUMBER" "$BUILD_URL" "$RESULT" "$GIT_URL" "$GIT_BRANCH" "$GIT_COMMIT"',
      `          printf "$format" "$@" | curl -fsS -u "$LOGIN" -d @- '${plainUrl}'`,
      "        '''",
      '      }',
      '    }',
      '  }',
      '}',
    ].join('\n'),
    notes: [
      `The credential deployment-webhooks is one of the kind "Username with password": \`${user}\` and \`${secret}\`.`,
      'Use it in place of the notification plugin, which sends neither repository nor commit for a Pipeline job.',
    ],
  }),
});

#!/usr/bin/env bash
# Makes the folder of pages that compare.mjs reads: documentation packages of Debian, and sites that generators build from the Markdown in
# npm packages. It needs apt-get, Node.js with npm, and for two of the sites mkdocs and mkdocs-material; it takes 5 GB.
#   ./corpus.sh DIR
set -euo pipefail
mkdir -p "${1:?names no folder}" && cd "$1"

packages=(
  python3.11-doc python-django-doc cmake-doc linux-doc-6.1 python-sklearn-doc python-requests-doc python-attr-doc llvm-14-doc debian-policy
  postgresql-doc-15 docbook-xsl-doc-html libglib2.0-doc libgtk-3-doc libgtk-4-doc debian-handbook libboost1.74-doc gimp-help-en
  git-doc kicad-doc-en libeigen3-doc wx3.2-doc doxygen-doc openjdk-17-doc libcommons-lang3-java-doc groovy-doc ant-doc rust-doc
  ffmpeg-doc octave-doc gnutls-doc maxima-doc lilypond-doc-html sbcl-doc scala-doc yard-doc crystal-doc nim-doc ghc-doc erlang-doc
  bash-doc zsh-doc qtbase5-doc-html racket-doc nodejs-doc cppreference-doc-en-html libssl-doc sqlite3-doc apache2-doc vim-doc r-doc-html mkdocs-doc
)
mkdir -p download deb
(cd download && apt-get -qq download "${packages[@]}")
for file in download/*.deb; do # not installed: nothing of them is needed but their files
  [ -e "$file.done" ] || { dpkg-deb -x "$file" deb && touch "$file.done"; }
done

npm_packages() { # DIR PACKAGE…: only what is named runs, and no script of a package
  mkdir -p "$1" && (cd "$1" && { [ -e package.json ] || npm init -y > /dev/null; } && npm install --no-audit --no-fund --loglevel=error --ignore-scripts "${@:2}")
}
npm_packages sites/source fastify@5.12.8 undici@8.12.4
npm_packages sites/small vitepress@1.6.4 honkit@6.1.7 typedoc@0.28.20 typescript@5.9.3 jsdoc@4.0.5
npm_packages sites/docusaurus @docusaurus/core@3.9.2 @docusaurus/preset-classic@3.9.2 react@18.3.1 react-dom@18.3.1 webpack@5.95.0
npm_packages sites/starlight astro@5.15.1 @astrojs/starlight@0.36.2
export ASTRO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1

source=$PWD/sites/source/node_modules
fresh() { rm -rf "$1" && mkdir -p "$1" && cp -r "$source/fastify/docs/Guides" "$source/fastify/docs/Reference" "$1" && cp -r "$source/undici/docs/docs" "$1/undici" && find "$1" -name '*.md' -exec sed -i '/!\[.*resources/d' {} +; } # its picture is not there

fresh sites/small/vitepress
(cd sites/small && printf '# Docs\n\n- [Server](Reference/Server.md)\n' > vitepress/index.md && mkdir -p vitepress/.vitepress &&
  echo "export default { title: 'Docs', ignoreDeadLinks: true, markdown: { html: false }, themeConfig: { sidebar: [{ text: 'Guides', link: '/Guides/Getting-Started' }, { text: 'Server', link: '/Reference/Server' }] } }" > vitepress/.vitepress/config.mjs &&
  npx vitepress build vitepress > vitepress.log) || echo 'vitepress: not built'

fresh sites/small/honkit
(cd sites/small && printf '# Docs\n' > honkit/README.md && (cd honkit && find . -name '*.md' ! -name README.md | sort | sed 's|^\./||; s|.*|- [&](&)|') > honkit.list && mv honkit.list honkit/SUMMARY.md && echo '{"plugins": ["-highlight"]}' > honkit/book.json &&
  npx honkit build honkit honkit-out > honkit.log) || echo 'honkit: not built'

(cd sites/small && npx typedoc --out typedoc-out --entryPoints "$source/undici/types/index.d.ts" --skipErrorChecking --readme none > typedoc.log 2>&1) || echo 'typedoc: not built'
(cd sites/small && npx jsdoc -d jsdoc-out -r "$source/undici/lib/web" "$source/undici/lib/dispatcher" "$source/undici/lib/handler" > jsdoc.log 2>&1) || true # it reports each comment that it cannot read
[ -e sites/small/jsdoc-out/index.html ] || echo 'jsdoc: not built'

fresh sites/docusaurus/docs
(cd sites/docusaurus && mkdir -p src && cat > docusaurus.config.js <<'JS'
module.exports = {
  title: 'Docs', url: 'https://docs.example.com', baseUrl: '/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  markdown: { format: 'detect', hooks: { onBrokenMarkdownLinks: "ignore", onBrokenMarkdownImages: "ignore" } },
  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]],
  themeConfig: { navbar: { title: 'Docs', items: [{ to: '/', label: 'Start' }] }, footer: { copyright: 'Copyright of the authors' } },
}
JS
printf -- '---\nslug: /\n---\n\n# Docs\n' > docs/index.md && npx docusaurus build > build.log 2>&1) || echo 'docusaurus: not built'

fresh sites/starlight/src/content/docs
(cd sites/starlight && cat > prepare.mjs <<'JS'
import fs from 'node:fs' // Starlight requires the title in front matter
for (const name of fs.globSync ? fs.globSync('src/content/docs/**/*.md') : fs.readdirSync('src/content/docs', { recursive: true }).filter((n) => n.endsWith('.md')).map((n) => 'src/content/docs/' + n)) {
  const text = fs.readFileSync(name, 'utf8')
  const title = /^# (.*)$/m.exec(text)?.[1].replaceAll('`', '') ?? name.replace(/.*\//, '')
  fs.writeFileSync(name, `---\ntitle: ${JSON.stringify(title)}\n---\n${text.replace(/^# .*$/m, '').replace(/^<h1.*$/m, '').replaceAll(/!\[[^\]]*\]\(\.[^)]*\)/g, '')}`)
}
fs.writeFileSync('src/content.config.mjs', `import { defineCollection } from 'astro:content'
import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }
`)
fs.writeFileSync('astro.config.mjs', `import { defineConfig, passthroughImageService } from 'astro/config'
import starlight from '@astrojs/starlight'
export default defineConfig({ image: { service: passthroughImageService() }, integrations: [starlight({ title: 'Docs', pagefind: false })] })
`)
JS
node prepare.mjs && npx astro build > build.log 2>&1) || echo 'starlight: not built'

for theme in mkdocs material; do
  fresh "sites/$theme/docs"
  (cd "sites/$theme" && printf 'site_name: Docs\nsite_dir: out\ntheme:\n  name: %s\nmarkdown_extensions: [admonition, tables, fenced_code, toc]\n' "$theme" > mkdocs.yml &&
    printf '# Docs\n' > docs/index.md && mkdocs -q build > build.log 2>&1) || echo "mkdocs, theme $theme: not built"
done

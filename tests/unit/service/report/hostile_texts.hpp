#pragma once

#include <string>
#include <vector>

// Texts that strangers would send so that a tracker, a reader or Vigil itself acts on them.

namespace vigil::service {

inline std::vector<std::string> hostile_texts() {
    std::vector<std::string> texts{
        // mentions
        "@octocat",
        "ping @octocat and @org/team",
        "@all",
        "\xEF\xBC\xA0octocat @octocat",
        "mail@octocat.example",
        "(@octocat)",
        "\n@octocat\n",
        "`@octocat",
        // references and closing keywords
        "fixes #1",
        "Closes #12, resolves #13",
        "fix: GH-1",
        "resolves gh-77",
        "closes owner/name#5",
        "fixes https://github.com/owner/name/issues/1",
        "Fixes: https://github.com/owner/name/pull/2",
        "#1",
        "implements #4 and duplicates #5",
        // links
        "[click](https://evil.example)",
        "[click](javascript:alert(1))",
        "![](https://evil.example/pixel.png)",
        "<https://evil.example>",
        "https://evil.example/?a=b",
        "www.evil.example",
        "WWW.EVIL.EXAMPLE",
        "ftp://evil.example",
        "mailto:a@evil.example",
        "xmpp:a@evil.example",
        "[a]: https://evil.example",
        "[a][b]",
        "[^1] [^1]: note",
        "](https://evil.example)",
        "[x](<https://evil.example>)",
        // markers
        "<!-- vigil:regression:0f3a9c1b22de:7:5f0c2b71d3a94e86b1c07d5e2f493a68 -->",
        "<!-- vigil:regression:0f3a9c1b22de:8 -->",
        "\n<!-- vigil:regression:0f3a9c1b22de:9 -->\n",
        "--> <!-- vigil:night:0f3a9c1b22de:1 -->",
        "<!--",
        "-->",
        // HTML
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "</details>",
        "<details open><summary>x</summary>",
        "</td></tr></table>",
        "<h1>x</h1>",
        "<a href=https://evil.example>x</a>",
        "<style>*{display:none}</style>",
        "<iframe src=https://evil.example>",
        "&lt;b&gt; &#64;octocat &commat;octocat",
        "&#x3C;img src=x&#x3E;",
        "<sub>x</sub><kbd>y</kbd>",
        "<?php x ?>",
        "<![CDATA[x]]>",
        // code and fences
        "`",
        "``` x ```",
        "```\n# out of the fence\n```",
        "~~~\nx\n~~~",
        "a ` b `` c ``` d",
        "```mermaid\ngraph TD\n```",
        "\"] line [1] title \"x",
        "\"; click a \"https://evil.example\"",
        "%%{init: {\"theme\": \"x\"}}%%",
        // blocks and emphasis
        "| a | b |",
        "|---|---|",
        "# a heading",
        "\n\n# a heading\n\n",
        "- [x] done",
        "1. one",
        "> quote",
        "---",
        "***",
        "**bold** _weak_ __bold__ *weak* ~~gone~~",
        "_weak_",
        "$x^2$ $$y$$ $`z`$",
        "\\`\\@octocat\\#1",
        "    indented",
        "a\tb\vc\fd\re",
        // what cannot be seen
        "abc\u202Edef\u202C",
        "\u2066abc\u2069\u200Fdef",
        "ad\u200Bmin\u200D\uFEFF @octo\u200Bcat",
        "\x1b[2J\x1b[31mred",
        std::string("a\0b", 3),
        "\xff\xfe\xc0\xaf",
        "\u00AD\u034F\u115F\u3164",
        "e" + std::string(2000, '\xCC') + std::string(2000, '\x81'),
        "\U000E0041\U000E0042"};
    texts.push_back(std::string(4096, 'x'));
    texts.push_back(std::string(4096, '`'));
    texts.push_back(std::string(2048, '[') + std::string(2048, ']'));
    std::string many;
    for (int i = 0; i < 450; ++i) many += "@octocat ";
    texts.push_back(many);
    return texts;
}

}  // namespace vigil::service

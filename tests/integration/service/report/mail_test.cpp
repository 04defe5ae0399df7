// Mail by SMTP, to a server that keeps what it gets.

#include <fstream>

#include <catch2/catch.hpp>

#include "schema/wire/base64.hpp"
#include "service/report/send/mail_sender.hpp"
#include "tests/support/believed.hpp"
#include "tests/support/mail_server.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

struct Mailing {
    explicit Mailing(test::MailTls tls = test::MailTls::never) : server(tls, &certificate) {
        std::ofstream(folder / "password") << "s3cret\n";
        target.name = "team";
        target.kind = TargetKind::mail;
        target.server = server.address();
        target.security = MailSecurity::none;
        target.from = "vigil@example.org";
        target.to = {"a@example.org", "b@example.org"};
        envelope.title = "[perf] mlp is slower";
        envelope.body = "**Slower.** Much.\n\n.\nQUIT\n";
        envelope.about.kind = "regression";
    }
    SendReply send() { return send_mail(target, envelope, 1'800'000'000); }

    test::ScratchFolder folder;
    test::Certificate certificate{"127.0.0.1"};
    test::MailServer server;
    ReportTarget target;
    Envelope envelope;
};

}  // namespace

TEST_CASE("A mail arrives as it was made, for everybody", "[service][report]") {
    Mailing mailing;
    CHECK(mailing.send().outcome == SendOutcome::sent);
    const auto mails = mailing.server.mails();
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].from == "vigil@example.org");
    CHECK(mails[0].to == mailing.target.to);
    CHECK(mails[0].data == mail_of(mailing.target, mailing.envelope, 1'800'000'000));
    CHECK(mails[0].login.empty());
}

TEST_CASE("Whoever signs in does so with the password of the file", "[service][report]") {
    Mailing mailing;
    mailing.target.user = "vigil";
    mailing.target.password_file = (mailing.folder / "password").string();
    CHECK(mailing.send().outcome == SendOutcome::sent);
    const auto mails = mailing.server.mails();
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].login == wire::base64(std::string("\0vigil\0s3cret", 13)));
    mailing.server.fail({"AUTH", "535 no"});
    const auto refused = mailing.send();
    CHECK(refused.outcome == SendOutcome::later);  // it is fixed in the config
    CHECK_THAT(refused.message, Contains("user or password is wrong"));
    CHECK_THAT(refused.message, !Contains("s3cret"));
}

TEST_CASE("Without TLS nothing is said where TLS is asked for", "[service][report]") {
    Mailing mailing;
    mailing.target.user = "vigil";
    mailing.target.password_file = (mailing.folder / "password").string();
    mailing.target.security = GENERATE(MailSecurity::starttls, MailSecurity::tls);
    if (mailing.target.security == MailSecurity::tls) {
        mailing.server.fail({"", ""});  // it speaks first, which is no TLS
    }
    CHECK(mailing.send().outcome == SendOutcome::later);
    CHECK(mailing.server.mails().empty());
}

TEST_CASE("A mail goes over TLS, to a server whose authority is believed", "[service][report]") {
    const auto tls = GENERATE(test::MailTls::at_once, test::MailTls::when_asked);
    Mailing mailing(tls);
    mailing.target.user = "vigil";
    mailing.target.password_file = (mailing.folder / "password").string();
    mailing.target.security =
        tls == test::MailTls::at_once ? MailSecurity::tls : MailSecurity::starttls;
    const auto doubted = mailing.send();
    CHECK(doubted.outcome == SendOutcome::later);
    CHECK_THAT(doubted.message, Contains("SSL_CERT_FILE"));
    CHECK(mailing.server.mails().empty());

    const test::Believed believed(mailing.certificate);
    CHECK(mailing.send().outcome == SendOutcome::sent);
    const auto mails = mailing.server.mails();
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].secure);
    CHECK(mails[0].login == wire::base64(std::string("\0vigil\0s3cret", 13)));
}

TEST_CASE("A mail server with another machine's certificate gets no mail", "[service][report]") {
    Mailing mailing(test::MailTls::at_once);
    mailing.target.security = MailSecurity::tls;
    mailing.target.server = "localhost" + mailing.target.server.substr(9);  // not its name
    const test::Believed believed(mailing.certificate);
    const auto doubted = mailing.send();
    CHECK(doubted.outcome == SendOutcome::later);
    CHECK_THAT(doubted.message, Contains("host name 'localhost'") && Contains("mend the address"));
    CHECK(mailing.server.mails().empty());
}

TEST_CASE("What a mail server refuses for good is given up, the rest is not", "[service]") {
    Mailing mailing;
    mailing.server.fail({"RCPT", "450 busy"});
    CHECK(mailing.send().outcome == SendOutcome::later);
    mailing.server.fail({"RCPT", "550 nobody here"});
    const auto refused = mailing.send();
    CHECK(refused.outcome == SendOutcome::refused);
    CHECK_THAT(refused.message, Contains("550"));
    mailing.server.fail({"DATA", ""});
    CHECK(mailing.send().outcome == SendOutcome::later);
    mailing.target.server = "127.0.0.1:1";
    CHECK(mailing.send().outcome == SendOutcome::later);
}

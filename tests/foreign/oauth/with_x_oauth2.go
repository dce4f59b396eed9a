// Connect with Go's golang.org/x/oauth2, in the steps of its documentation. The library builds the URL, exchanges the
// code and sends the token; discovery, state, the error redirect and the PKCE verifier are left to the program.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2"
)

type refusal struct {
	Error       string `json:"error"`
	Description string `json:"description"`
}

type outcome struct {
	Me      json.RawMessage `json:"me,omitempty"`
	Again   string          `json:"again,omitempty"`
	Refused *refusal        `json:"refused,omitempty"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func random() string {
	bytes := make([]byte, 32)
	_, err := rand.Read(bytes)
	check(err)
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func main() {
	service := os.Getenv("SWITCHBOARD")
	discovered, err := http.Get(service + "/.well-known/oauth-authorization-server")
	check(err)
	var server struct {
		AuthorizationEndpoint string `json:"authorization_endpoint"`
		TokenEndpoint         string `json:"token_endpoint"`
	}
	check(json.NewDecoder(discovered.Body).Decode(&server))

	style := map[string]oauth2.AuthStyle{
		"client_secret_basic": oauth2.AuthStyleInHeader,
		"client_secret_post":  oauth2.AuthStyleInParams,
		// What a program gets that does not set a style.
		"detected": oauth2.AuthStyleAutoDetect,
	}[os.Getenv("AUTH_METHOD")]
	config := oauth2.Config{
		ClientID:     os.Getenv("APP_CLIENT_ID"),
		ClientSecret: os.Getenv("APP_CLIENT_SECRET"),
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Scopes:       []string{"messages.send", "conversations.read"},
		Endpoint: oauth2.Endpoint{
			AuthURL: server.AuthorizationEndpoint, TokenURL: server.TokenEndpoint, AuthStyle: style,
		},
	}
	state, verifier := random(), random()
	digest := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(digest[:])
	fmt.Println(config.AuthCodeURL(
		state,
		oauth2.SetAuthURLParam("code_challenge", challenge),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"),
	))

	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	callback, err := url.Parse(strings.TrimSpace(line))
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(connect(service, config, callback.Query(), state, verifier)))
}

func connect(service string, config oauth2.Config, query url.Values, state, verifier string) outcome {
	if query.Get("state") != state {
		return outcome{Refused: &refusal{"another state", ""}}
	}
	if query.Has("error") {
		return outcome{Refused: &refusal{query.Get("error"), query.Get("error_description")}}
	}
	ctx := context.Background()
	exchange := func() (*oauth2.Token, error) {
		return config.Exchange(ctx, query.Get("code"), oauth2.SetAuthURLParam("code_verifier", verifier))
	}
	token, err := exchange()
	check(err)
	if !token.Valid() {
		check(fmt.Errorf("the token is not valid: %v", token))
	}
	response, err := config.Client(ctx, token).Get(service + "/api/v1/me")
	check(err)
	me, err := io.ReadAll(response.Body)
	check(err)

	_, err = exchange()
	failure, ok := err.(*oauth2.RetrieveError)
	if !ok {
		check(fmt.Errorf("the code was exchanged twice: %v", err))
	}
	var body refusal
	check(json.Unmarshal(failure.Body, &body))
	return outcome{Me: me, Again: body.Error}
}

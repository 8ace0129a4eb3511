// Brightness in the brown of an old print.
#include "../common/sets.glsl"
#pragma param sepia_strength "share of the brown picture" 1.0 0 1

PASS uniform sampler2D scene;
PASS uniform Params { float sepia_strength; } params;

in vec2 uv;
out vec4 out_sepia;

void main() {
    vec3 color = texture(scene, uv).rgb;
    // Luma weights of ITU-R BT.709.
    vec3 brown = dot(color, vec3(0.2126, 0.7152, 0.0722)) * vec3(1.2, 1.0, 0.75);
    out_sepia = vec4(mix(color, brown, params.sepia_strength), 1.0);
}
